//: # Cancel
//: If you cancel the promise at the end of a chain, the work at the beginning of the chain stops, unless something else
//: is waiting for it.
import Foundation
import Pledge

//: The code that creates a promise defines how to cancel its work.
func download(_ name: String) -> Promise<String> {
    Promise { seal in
        let task = Task {
            try await Task.sleep(nanoseconds: 60_000_000_000)
            seal.fulfill("All of \(name)")
        }
        seal.onCancel {
            task.cancel()
            print("Stopped loading", name)
        }
    }
}

let shown = download("the map").map { $0.uppercased() }.done { print($0) }
shown.cancel()

//: `catch` ignores a cancellation, unless you pass it the policy `.allErrors`. `ensure` and `finally` run in any case.
shown.ensure {
    print("Put away the spinner")
}.catch(policy: .allErrors) { error in
    print("Ended with:", error)
}.waitOrExit()

//: Two chains can share a promise. If one chain is canceled, the shared promise continues for the other chain.
let shared = Promise(after(seconds: 0.1)).map { "Shared" }
let one = shared.map { $0 + " by one" }
let other = shared.map { $0 + " by the other" }
one.cancel()
one.cauterize()
print(other.waitOrExit())
