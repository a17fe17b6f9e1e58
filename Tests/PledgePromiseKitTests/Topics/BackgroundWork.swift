import Dispatch
@_spi(PromiseKit) import PledgePromiseKit

// Handlers that run on the main queue, on a queue that they name, or inline.
//
// Not for the Swift 6 mode: the last `map` has `flags:`, so it is Pledge's own operator. The closure of that operator may not
// capture a local variable that changes.

func backgroundWork() -> Promise<String> {
    let work = DispatchQueue(label: "work")
    let key = DispatchSpecificKey<String>()
    work.setSpecific(key: key, value: "work")
    DispatchQueue.main.setSpecific(key: key, value: "main")
    var places: [String] = []
    func note(_ verb: String) { places.append("\(verb) \(DispatchQueue.getSpecific(key: key) ?? "elsewhere")") }

    Promise.value(1).done(on: nil) { _ in note("at once") }.cauterize()
    return firstly {
        Promise.value(1)
    }.then { value -> Guarantee<Int> in
        note("then")
        return work.async(.promise) { value + 1 }
    }.map(on: work) { value -> Int in
        note("map")
        return value
    }.get { _ in note("get") }.map(on: work, flags: .barrier) { "\($0) \(places)" }
}
