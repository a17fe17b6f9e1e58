//: # When things fail
//: An error passes by every handler that wants a value, down to the first that wants an error.
import Foundation
import Pledge

enum Trouble: Error {
    case noSignal, wrongPlace
}

@Sendable func find(_ place: String) -> Promise<String> {
    place == "cellar" ? Promise(error: Trouble.noSignal) : .value("You are in the \(place)")
}

//: `recover` turns an error back into a value; here only the one it knows.
let recovered: Promise<Void> = find("cellar").recover { error -> Promise<String> in
    guard case Trouble.noSignal = error else { throw error }
    return find("kitchen")
}.done { answer in
    print(answer)
}.catch { error in
    print("Not reached:", error)
}
try recovered.wait()

//: `ensure` runs in either case, and passes on what came.
let failed: Promise<Void> = find("cellar").ensure {
    print("The lamp is off again")
}.done { answer in
    print(answer)
}.catch { error in
    print("No answer:", error)
}
try failed.wait()

//: `retry` begins anew, with a pause that grows.
let attempts = AttemptCounter()
let stubborn = retry(attempts: 3, delay: .exponential(first: 0.05)) {
    attempts.next() < 3 ? find("cellar") : find("garden")
}
print(try stubborn.wait(), "after", attempts.count, "attempts")

//: What takes too long is given up, and cancelled.
do {
    _ = try Promise(after(seconds: 60)).timeout(seconds: 0.1).wait()
} catch {
    print(error)
}

//: A handler may run on any thread, so what it shares needs a lock.
final class AttemptCounter: @unchecked Sendable {
    // Every access to `made` holds `lock`.
    private let lock = NSLock()
    private var made = 0

    var count: Int { lock.withLock { made } }

    func next() -> Int {
        lock.withLock {
            made += 1
            return made
        }
    }
}
