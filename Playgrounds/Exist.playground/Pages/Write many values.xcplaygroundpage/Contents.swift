//: # Write many values
//: You can write any number of values, for any days, with one call. The service accepts 35 values per request, so the
//: call sends several requests, one after another. The response lists the accepted values and the rejected values.
import ExistKit
import Foundation
import PledgeSandbox

let sandbox = try ExistSandbox.start()
let existAPI = ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL)

let today = ExistDay(Date())
var updates: [any AttributeUpdate] = (0..<80).map { daysAgo in
    IntAttributeUpdate(name: "mood", day: today.advanced(by: -daysAgo), value: 1 + daysAgo % 9)
}
//: A measurement can have any unit of its kind. The last value is invalid, because a mood is a number.
updates.append(
    try MeasurementAttributeUpdate(name: "weight", day: today, value: Measurement(value: 145, unit: UnitMass.pounds)))
updates.append(StringAttributeUpdate(name: "mood", day: today, value: "fine"))

//: If the client does not own an attribute, the call acquires the attribute, and then sends its values again.
existAPI.updateAcquiringIfNeeded(attributes: updates).done { attributeResponse, response in
    print(attributeResponse.success.count, "stored")
    for refused in attributeResponse.failed {
        print("Item", refused.index ?? -1, refused.name ?? "", "was refused:", refused.error)
    }
}.recover { error -> Promise<Void> in
    //: If one of several requests fails as a whole, the error says which values have been answered, which are unknown,
    //: and which have not been sent.
    if let write = (error as? ExistError)?.write {
        print(write.answered.count, "answered,", write.unknown.count, "unknown,", write.unsent.count, "not sent")
    }
    throw error
}.waitOrExit()
sandbox.stop()
