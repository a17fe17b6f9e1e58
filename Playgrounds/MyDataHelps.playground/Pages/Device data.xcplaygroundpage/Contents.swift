//: # Device data
//: A data point is identified by its identifier, type, and dates. Storing it again updates it, so storing it twice is
//: harmless.
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

let stored = session.persistDeviceData([walk(minutes: 38)]).then { _ -> Promise<Void> in
    //: A correction: the walk was longer.
    session.persistDeviceData([walk(minutes: 41)])
}.then { _ -> Promise<DeviceDataResultPage> in
    session.queryDeviceData(DeviceDataQuery(namespace: .project))
}.waitOrExit()

for point in stored {
    print(point.type, point.value, point.units ?? "", point.properties)
}
sandbox.stop()
