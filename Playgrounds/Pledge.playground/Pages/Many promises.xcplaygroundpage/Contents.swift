//: # Many promises
//: What does not need each other runs together. `when` waits for all of it, `race` for the first.
import Foundation
import Pledge

@Sendable func steps(of user: Int) -> Promise<Int> {
    Promise(after(seconds: Double(10 - user) / 100)).map { user * 1_000 }
}

//: Results come in the order of what was asked, not in the order of their arrival.
let week = when(fulfilled: (1...7).map(steps(of:)))
print(try week.wait())

//: Values of several types have their places.
let (count, name) = try when(fulfilled: steps(of: 3), Promise.value("Maya")).wait()
print(name, "walked", count, "steps")

//: A sequence of any length, never more than two at a time.
let limited = when(fulfilled: 1...9, concurrently: 2) { user in steps(of: user) }
print(try limited.wait().reduce(0, +), "steps in all")

//: The first result wins, and the other promises are cancelled.
let first = race(steps(of: 1), steps(of: 9))
print("The first to answer walked", try first.wait())
