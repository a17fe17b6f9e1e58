@_spi(PromiseKit) import PledgePromiseKit

// Switches over all cases of the errors that promises themselves create, and of the events that they log.
//
// Not for the Swift 6 mode: a log handler may be called on any thread, and this one changes a local variable.

func describe(_ error: Error) -> String {
    guard let error = error as? PMKError else { return "other" }
    switch error {
    case .invalidCallingConvention: return "convention"
    case .returnedSelf: return "self"
    case .badInput: return "input"
    case .cancelled: return "cancelled"
    case .compactMap(_, let type): return "no \(type)"
    case .emptySequence: return "empty"
    case .noWinner: return "no winner"
    }
}

func errorsAndLog() -> Promise<String> {
    var log: [String] = []
    conf.logHandler = { event in
        switch event {
        case .waitOnMainThread: log.append("waits")
        case .pendingPromiseDeallocated: log.append("promise")
        case .pendingGuaranteeDeallocated: log.append("guarantee")
        case .cauterized(let error): log.append(describe(error))
        }
    }
    _ = Guarantee<Int> { _ in }
    _ = Promise<Int> { _ in }
    let none: [Promise<Int>] = []
    let nothing: (Int?, Error?) = (nil, nil)
    let failed: [Promise<Int>] = [
        race(none), race(fulfilled: [Promise<Int>(error: PMKError.badInput)]), Promise.value([Int]()).firstValue,
        Promise { $0.resolve(nothing.0, nothing.1) }, Promise.value("x").compactMap { Int($0) },
        Promise(error: PMKError.cancelled),
    ]
    return Promise<Int>(error: PMKError.badInput).cauterize().then {
        when(resolved: failed)
    }.map { results in
        let errors = results.map { result -> String in
            if case .rejected(let error) = result { return describe(error) }
            return "none"
        }
        return "\(errors) \(log)"
    }
}
