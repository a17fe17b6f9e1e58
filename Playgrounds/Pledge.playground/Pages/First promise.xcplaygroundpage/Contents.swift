//: # First promise
//: A promise is a value that is there later. What you do with it says which verb to use: `map` makes another value of it,
//: `then` goes on with another promise, `done` takes it and returns nothing.
import Foundation
import Pledge

//: Anything that calls back can make one: fulfill it with a value, or reject it with an error.
func temperature(in city: String) -> Promise<Double> {
    Promise { seal in
        DispatchQueue.global().async { seal.fulfill(city == "Kiruna" ? -11.5 : 4) }
    }
}

let told: Promise<Void> = temperature(in: "Kiruna").map { celsius in
    celsius * 9 / 5 + 32
}.then { fahrenheit in
    Promise(after(seconds: 0.1)).map { "It is \(fahrenheit) °F in Kiruna" }
}.done { sentence in
    print(sentence)
}.catch { error in
    print(error)
}

//: A script ends with its last line, so it waits for what it began. An app does not: its promises live on.
try await told.value

//: Where there is no `await`, `try told.wait()` does the same. Asynchronous code becomes a promise by a closure.
let slept = Promise { () -> String in
    try await Task.sleep(nanoseconds: 50_000_000)
    return "Slept well"
}
print(try await slept.value)
