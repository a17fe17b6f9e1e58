//: # Device data
//: A point is told from others by its identifier, type and dates. Stored again, it is updated: so storing twice does no
//: harm.
import Foundation
import MyDataHelpsKit
import PledgeSandbox

let sandbox = try MyDataHelpsSandbox.start()
let client = MyDataHelpsClient(baseURL: sandbox.baseURL)
let session = ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: sandbox.token))
let ended = Date()

func walk(minutes: Int) -> DeviceDataPointPersistModel {
    DeviceDataPointPersistModel(
        identifier: "walk-1", type: "Walk", value: "\(minutes)", units: "min", properties: ["surface": "snow"],
        observationDate: ended)
}

let stored: Promise<DeviceDataResultPage> = session.persistDeviceData([walk(minutes: 38)]).then { _ -> Promise<Void> in
    //: It was longer, on second thought.
    session.persistDeviceData([walk(minutes: 41)])
}.then { _ -> Promise<DeviceDataResultPage> in
    session.queryDeviceData(DeviceDataQuery(namespace: .project))
}

for point in try stored.wait() {
    print(point.type, point.value, point.units ?? "", point.properties)
}
sandbox.stop()
