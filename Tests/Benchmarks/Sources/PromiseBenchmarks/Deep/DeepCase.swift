import Pledge

/// A chain of a million promises. If the library recursed anywhere, the chain would overflow the stack.
enum DeepCase: String, CaseIterable {
    case map, then, dropped, loop, rejection

    private static let depth = 1_000_000

    /// Builds the chain, runs it, and releases it. Returns whether the right outcome arrived.
    func run() -> Bool {
        switch self {
        case .map: Self.settle { $0.map { $0 + 1 } } == Self.depth
        case .then: Self.settle { $0.then { Promise.value($0 + 1) } } == Self.depth
        case .dropped: Self.drop()
        case .loop: Self.loop()
        case .rejection: Self.reject()
        }
    }

    private static func chain(_ head: Promise<Int>, _ hop: (Promise<Int>) -> Promise<Int>) -> Promise<Int> {
        var promise = head
        for _ in 0..<depth { promise = hop(promise) }
        return promise
    }

    private static func settle(_ hop: (Promise<Int>) -> Promise<Int>) -> Int {
        let countdown = Countdown(1)
        let (head, resolver) = Promise<Int>.pending()
        _ = chain(head, hop).done { countdown.hit($0) }
        resolver.fulfill(0)
        return countdown.wait()
    }

    /// Releases the head's resolver without settling the head, which rejects the chain.
    private static func drop() -> Bool {
        let countdown = Countdown(1)
        chain(Promise<Int>.pending().promise) { $0.map { $0 + 1 } }.catch { error in
            if case PromiseError.dropped = error { countdown.hit(1) } else { countdown.hit(0) }
        }
        return countdown.wait() == 1
    }

    /// Each `then` returns the rest of the loop, a promise that is still pending.
    private static func loop() -> Bool {
        let countdown = Countdown(1)
        @Sendable func count(_ value: Int) -> Promise<Int> {
            value == depth ? .value(value) : Promise.value(value + 1).then { count($0) }
        }
        _ = count(0).done { countdown.hit($0) }
        return countdown.wait() == depth
    }

    private static func reject() -> Bool {
        let countdown = Countdown(1)
        let (head, resolver) = Promise<Int>.pending()
        chain(head) { $0.map { $0 + 1 } }.catch { countdown.hit(($0 as? BenchmarkError)?.code ?? 0) }
        resolver.reject(BenchmarkError.expected)
        return countdown.wait() == BenchmarkError.expected.code
    }
}
