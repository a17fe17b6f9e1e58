//: # Cancel
//: Cancelling the end of a chain stops the work at its beginning, if nobody else waits for that.
import Foundation
import Pledge

//: Whoever makes a promise says what stopping means.
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

//: A cancellation is no error to `catch`, unless that asks for all errors; `ensure` and `finally` see it in any case.
let watched: Promise<Void> = shown.ensure {
    print("Put away the spinner")
}.catch(policy: .allErrors) { error in
    print("Ended with:", error)
}
try watched.wait()

//: Where two wait for one promise, the one who leaves does not stop it for the other.
let shared = Promise(after(seconds: 0.1)).map { "Shared" }
let one = shared.map { $0 + " by one" }
let other = shared.map { $0 + " by the other" }
one.cancel()
one.cauterize()
print(try other.wait())
