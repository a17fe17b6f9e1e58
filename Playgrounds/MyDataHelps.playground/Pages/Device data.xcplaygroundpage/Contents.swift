//: # Device data
//: The service identifies a data point by its identifier, type, and dates. If you store a point again, the service
//: updates it. So it does no harm to store a point twice.
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
    //: This corrects the stored point: the walk was longer.
    session.persistDeviceData([walk(minutes: 41)])
}.then { _ -> Promise<DeviceDataResultPage> in
    session.queryDeviceData(DeviceDataQuery(namespace: .project))
}.waitOrExit()

for point in stored {
    print(point.type, point.value, point.units ?? "", point.properties)
}
sandbox.stop()
