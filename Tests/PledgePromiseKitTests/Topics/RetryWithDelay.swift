import Dispatch
@_spi(PromiseKit) import PledgePromiseKit

// Retries a few times, with pauses. A local function that handlers call captures a local variable and changes it.

func attempts<T>(
    atMost limit: Int, pause: DispatchTimeInterval, _ body: @escaping () -> Promise<T>
) -> Promise<T> {
    var count = 0
    func attempt() -> Promise<T> {
        count += 1
        return body().recover { error -> Promise<T> in
            guard count < limit else { throw error }
            return after(pause).then(on: nil, attempt)
        }
    }
    return attempt()
}

func retryWithDelay() -> Promise<String> {
    var calls = 0
    func flaky() -> Promise<Int> {
        calls += 1
        return calls < 3 ? Promise(error: PMKError.badInput) : .value(calls)
    }
    return attempts(atMost: 3, pause: .milliseconds(1), flaky).map { "after \($0) calls" }
}
