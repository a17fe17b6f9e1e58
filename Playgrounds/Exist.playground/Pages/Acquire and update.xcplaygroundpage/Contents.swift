//: # Acquire and update
//: An attribute has one owner, and only the owner can write it: acquire it once, then update it. Each step is a
//: promise, and one `catch` at the end handles an error in any of them.
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
    //: Steps were not acquired, so the service rejects them, and reports that along with what succeeded.
    for refused in attributeResponse.failed {
        print("Refused", refused.name ?? "an item", "because:", refused.error)
    }
}.waitOrExit()
sandbox.stop()
