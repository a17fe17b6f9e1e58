//: # When things fail
//: An error skips every handler that takes a value, up to the first that takes an error.
import Foundation
import Pledge

enum Trouble: Error {
    case noSignal, wrongPlace
}

@Sendable func find(_ place: String) -> Promise<String> {
    place == "cellar" ? Promise(error: Trouble.noSignal) : .value("You are in the \(place)")
}

//: `recover` turns an error back into a value; here only a specific error.
find("cellar").recover { error -> Promise<String> in
    guard case Trouble.noSignal = error else { throw error }
    return find("kitchen")
}.done { answer in
    print(answer)
}.catch { error in
    print("Not reached:", error)
}.waitOrExit()

//: `ensure` runs in either case, and passes the result on.
find("cellar").ensure {
    print("The lamp is off again")
}.done { answer in
    print(answer)
}.catch { error in
    print("No answer:", error)
}.waitOrExit()

//: `retry` tries again, with a growing delay between attempts.
let attempts = AttemptCounter()
let stubborn = retry(attempts: 3, delay: .exponential(first: 0.05)) {
    attempts.next() < 3 ? find("cellar") : find("garden")
}
print(stubborn.waitOrExit(), "after", attempts.count, "attempts")

//: `timeout` limits the time, and cancels work that takes longer.
Promise(after(seconds: 60)).timeout(seconds: 0.1).catch { error in
    print(error)
}.waitOrExit()

//: A handler may run on any thread, so shared state needs a lock.
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
