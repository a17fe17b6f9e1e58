//: # Write many values
//: Any number of values, for any days: the service accepts 35 per request, so they are sent in several requests, in
//: order. The response lists what was rejected along with what was accepted.
import ExistKit
import Foundation
import PledgeSandbox

let sandbox = try ExistSandbox.start()
let existAPI = ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL)

let today = ExistDay(Date())
var updates: [any AttributeUpdate] = (0..<80).map { daysAgo in
    IntAttributeUpdate(name: "mood", day: today.advanced(by: -daysAgo), value: 1 + daysAgo % 9)
}
//: Measurements can have any unit, and text is not a mood.
updates.append(
    try MeasurementAttributeUpdate(name: "weight", day: today, value: Measurement(value: 145, unit: UnitMass.pounds)))
updates.append(StringAttributeUpdate(name: "mood", day: today, value: "fine"))

//: An attribute that the client does not own is acquired once, and its update is retried.
let written = existAPI.updateAcquiringIfNeeded(attributes: updates).done { attributeResponse, response in
    print(attributeResponse.success.count, "stored")
    for refused in attributeResponse.failed {
        print("Item", refused.index ?? -1, refused.name ?? "", "was refused:", refused.error)
    }
}.catch { error in
    print(error)
    //: If one of several requests fails as a whole, the error tells which updates are done.
    if let write = (error as? ExistError)?.write {
        print(write.answered.count, "answered,", write.unknown.count, "unknown,", write.unsent.count, "not sent")
    }
}

try written.wait()
sandbox.stop()
