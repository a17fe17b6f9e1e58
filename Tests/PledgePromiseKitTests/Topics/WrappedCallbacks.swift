@_spi(PromiseKit) import PledgePromiseKit

// Wraps functions with all kinds of completion handlers in promises and guarantees.

func wrappedCallbacks() -> Promise<String> {
    func load(_ name: String, completion: @escaping (String?, Error?) -> Void) {
        after(.milliseconds(1)).done { completion(name, nil) }
    }
    func store(completion: @escaping (Error?) -> Void) { completion(nil) }
    func roll(completion: @escaping (Int) -> Void) { after(.milliseconds(1)).done { completion(6) } }
    func both(completion: (Int?, Error?) -> Void) { completion(1, PMKError.noWinner) }

    let loaded = Promise<String> { seal in load("file") { seal.resolve($0, $1) } }
    let passed = Promise<String> { load("other", completion: $0.resolve) }
    let stored = Promise<Void> { seal in store(completion: seal.resolve) }
    let marked = Promise<Void> { $0.fulfill_() }
    let result = Promise<Int> { $0.resolve(Result.fulfilled(2)) }
    let swift = Promise<Int> { $0.resolve(Swift.Result<Int, Error>.success(3)) }
    let rolled = Guarantee(resolver: roll)
    let refused = Promise<Int> { seal in both { seal.resolve($0, $1) } }.recover { error -> Guarantee<Int> in
        if case PMKError.noWinner = error { return .value(-1) }
        return .value(0)
    }

    return when(fulfilled: [loaded, passed]).then { names in
        when(fulfilled: stored, marked).then { when(fulfilled: [result, swift, Promise(rolled), Promise(refused)]) }
            .map { "\(names) \($0)" }
    }
}
