//: # Acquire and update
//: An attribute has one owner, and only the owner can write its values. So acquire an attribute once, then update it.
//: Each step is a promise. `waitOrExit` at the end of the chain handles an error in any step.
import ExistKit
import Foundation
import PledgeSandbox

let sandbox = try ExistSandbox.start()
let existAPI = ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL)

struct NotOurs: Error {
    var names: [String?]
}

existAPI.acquire(names: ["weight"]).then {
    attributeResponse, urlResponse -> Promise<ExistAPI.UpdateOutput> in
    guard attributeResponse.success.contains(where: { $0.name == "weight" }) else {
        throw NotOurs(names: attributeResponse.failed.map(\.name))
    }
    return existAPI.update(attributes: [
        FloatAttributeUpdate(name: "weight", date: Date(), value: 65.8),
        IntAttributeUpdate(name: "steps", date: Date(), value: 3158),
    ])
}.done { attributeResponse, urlResponse in
    for stored in attributeResponse.success {
        print("Stored", stored.name, "for", stored.day?.description ?? "today")
    }
    //: The app has not acquired the attribute `steps`, so the service rejects its value. The response contains both the
    //: stored and the rejected values.
    for refused in attributeResponse.failed {
        print("Refused", refused.name ?? "an item", "because:", refused.error)
    }
}.waitOrExit()
sandbox.stop()
