//: # First promise
//: A promise is a value that becomes available later. Choose the function by what you do with the value: `map` returns
//: another value, `then` continues with another promise, and `done` takes the value and returns nothing.
import Foundation
import Pledge

//: Any code that has a callback can create a promise. Fulfill the promise with a value, or reject it with an error.
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

//: A script ends after its last line, so it waits for its promises with `waitOrExit`. After an error, `waitOrExit`
//: prints the error and exits. An app does not need to wait, because it keeps running. It ends a chain with `catch`.
//:
//: A promise can also run asynchronous code in a closure.
let slept = Promise { () -> String in
    try await Task.sleep(nanoseconds: 50_000_000)
    return "Slept well"
}
print(slept.waitOrExit())
