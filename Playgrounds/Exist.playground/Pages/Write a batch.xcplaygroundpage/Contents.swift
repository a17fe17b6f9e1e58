//: # Write a batch
//: Any number of values, for any days: the service takes 35 at a time, so they are sent so many at a time, in order.
//: What it does not take is a value beside what it does.
import ExistKit
import Foundation
import PledgeSandbox

let sandbox = try ExistSandbox.start()
let existAPI = ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL)

let today = ExistDay(Date())
var updates: [any AttributeUpdate] = (0..<80).map { daysAgo in
    IntAttributeUpdate(name: "mood", day: today.advanced(by: -daysAgo), value: 1 + daysAgo % 9)
}
//: Measurements go in any unit, and text is no mood.
updates.append(
    try MeasurementAttributeUpdate(name: "weight", day: today, value: Measurement(value: 145, unit: UnitMass.pounds)))
updates.append(StringAttributeUpdate(name: "mood", day: today, value: "fine"))

//: Where the service says that an attribute is not ours, it is acquired, once, and written again.
let written = existAPI.updateAcquiringIfNeeded(attributes: updates).done { attributeResponse, response in
    print(attributeResponse.success.count, "stored")
    for refused in attributeResponse.failed {
        print("Item", refused.index ?? -1, refused.name ?? "", "was refused:", refused.error)
    }
}.catch { error in
    print(error)
    //: If a request of several fails as a whole, this says how far it came.
    if let batch = (error as? ExistError)?.batch {
        print(batch.answered.count, "answered,", batch.unknown.count, "unknown,", batch.unsent.count, "not sent")
    }
}

try written.wait()
sandbox.stop()
