@_spi(PromiseKit) import PledgePromiseKit

// Waits for all promises, whether they are fulfilled or rejected. Then reads the result of one of these promises without
// waiting, because the promise has settled.

func whateverTheOutcome() -> Promise<String> {
    struct Broken: Error {}
    let promises: [Promise<Int>] = [.value(1), Promise(error: Broken()), .value(3)]
    let mixed: [any Thenable] = [Promise.value(1), Guarantee.value("two")]

    return when(resolved: promises).then { results -> Promise<[any Sendable]> in
        let values = results.map { result -> Int in
            switch result {
            case .fulfilled(let value): return value
            case .rejected(let error): return error is Broken ? 0 : -1
            }
        }
        for case .rejected(let error) in results { precondition(error is Broken) }
        precondition(values == [1, 0, 3])
        return when(fulfilled: mixed)
    }.tap { result in
        if case .fulfilled(let values) = result { precondition(values[1] as? String == "two") }
    }.map { values in
        switch (promises[0].result, promises[1].result) {
        case (.fulfilled(let one)?, .rejected?): return "\(one) of \(values.count), \(promises[1].isRejected)"
        default: return "otherwise"
        }
    }
}
