//: # First promise
//: A promise is a value that becomes available later. The verb depends on what you do with the value: `map` returns
//: another value, `then` continues with another promise, `done` takes the value and returns nothing.
import Foundation
import Pledge

//: Anything with a callback can create one: fulfill it with a value, or reject it with an error.
func temperature(in city: String) -> Promise<Double> {
    Promise { seal in
        DispatchQueue.global().async { seal.fulfill(city == "Kiruna" ? -11.5 : 4) }
    }
}

temperature(in: "Kiruna").map { celsius in
    celsius * 9 / 5 + 32
}.then { fahrenheit in
    Promise(after(seconds: 0.1)).map { "It is \(fahrenheit) °F in Kiruna" }
}.done { sentence in
    print(sentence)
}.waitOrExit()

//: A script ends with its last line, so it waits or, after an error, prints that and exits. An app need not wait, as its
//: promises live on: it ends a chain with `catch`. A closure turns asynchronous code into a promise.
let slept = Promise { () -> String in
    try await Task.sleep(nanoseconds: 50_000_000)
    return "Slept well"
}
print(slept.waitOrExit())
