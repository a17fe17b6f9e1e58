@_spi(PromiseKit) import PledgePromiseKit

// A race limits the time that work may take. Another delay, which begins together with the work, sets a minimum for the time
// after which the result is delivered.

func timeouts() -> Promise<String> {
    struct TooLate: Error {}
    let (never, seal) = Promise<Int>.pending()
    let limit = after(seconds: 0.01).then { Promise<Int>(error: TooLate()) }
    let atLeast = after(seconds: 0.01)

    return firstly { race(never, limit) }.recover { error -> Promise<Int> in
        guard error is TooLate else { throw error }
        return .value(0)
    }.then { count in atLeast.map { count } }
        .then { count in race(after(.milliseconds(1)), after(.seconds(60))).map { count } }
        .ensure { seal.reject(PMKError.cancelled) }.map { "\($0), in time" }
}
