//: # When things fail
//: After an error, all handlers that take a value are skipped, up to the first handler that takes an error.
import Foundation
import Pledge

enum Trouble: Error {
    case noSignal, wrongPlace
}

@Sendable func find(_ place: String) -> Promise<String> {
    place == "cellar" ? Promise(error: Trouble.noSignal) : .value("You are in the \(place)")
}

//: `recover` turns an error back into a value. Here, it does so only for a specific error.
find("cellar").recover { error -> Promise<String> in
    guard case Trouble.noSignal = error else { throw error }
    return find("kitchen")
}.done { answer in
    print(answer)
}.catch { error in
    print("Not reached:", error)
}.waitOrExit()

//: `ensure` runs after a value and after an error, and passes the result on.
find("cellar").ensure {
    print("The lamp is off again")
}.done { answer in
    print(answer)
}.catch { error in
    print("No answer:", error)
}.waitOrExit()

//: `retry` tries again after an error. The delay grows with each attempt.
let attempts = AttemptCounter()
let stubborn = retry(attempts: 3, delay: .exponential(first: 0.05)) {
    attempts.next() < 3 ? find("cellar") : find("garden")
}
print(stubborn.waitOrExit(), "after", attempts.count, "attempts")

//: `timeout` limits the time. Work that takes longer is canceled.
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
