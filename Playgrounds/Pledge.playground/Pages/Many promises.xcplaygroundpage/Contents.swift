//: # Many promises
//: Independent work runs at the same time. `when` waits for all of it, and `race` waits only for the first result.
import Foundation
import Pledge

@Sendable func steps(of user: Int) -> Promise<Int> {
    Promise(after(seconds: Double(10 - user) / 100)).map { user * 1_000 }
}

//: The results are in the order of the promises, not in the order in which the promises settle.
let week = when(fulfilled: (1...7).map(steps(of:)))
print(week.waitOrExit())

//: Values of different types become the elements of a tuple.
let (count, name) = when(fulfilled: steps(of: 3), Promise.value("Maya")).waitOrExit()
print(name, "walked", count, "steps")

//: `when` can also process a sequence of any length. Here, at most two promises are in progress at a time.
let limited = when(fulfilled: 1...9, concurrently: 2) { user in steps(of: user) }
print(limited.waitOrExit().reduce(0, +), "steps in all")

//: The first result wins, and the other promises are canceled.
let first = race(steps(of: 1), steps(of: 9))
print("The response that arrived first has", first.waitOrExit())
