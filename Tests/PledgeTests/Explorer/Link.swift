@testable import Pledge
import PledgeTestSupport

/// What an operator made in a program of the explorer.
enum Link {
    case promise(Promise<Int>)
    case guarantee(Guarantee<Int>)

    /// The promise, or that of the guarantee: an operator makes no difference.
    var promise: Promise<Int> {
        switch self {
        case .promise(let promise): promise
        case .guarantee(let guarantee): guarantee._promise
        }
    }

    /// As a guarantee, after an operator that makes one, if it is a promise.
    func guarantee(_ lab: Lab) -> Guarantee<Int> {
        switch self {
        case .promise(let promise): promise.recover(on: lab.queue) { [once = lab.closure()] _ in once(.value(0)) }
        case .guarantee(let guarantee): guarantee
        }
    }

    var isGuarantee: Bool { promise.storage.withState { $0.has(.guarantee) } }

    func cancel() { promise.cancel() }

    func map(_ body: @escaping @Sendable () -> Void) -> Link {
        switch self {
        case .promise(let promise): .promise(promise.get(on: nil) { _ in body() })
        case .guarantee(let guarantee): .guarantee(guarantee.get(on: nil) { _ in body() })
        }
    }
}

/// An operator or a combinator, applied to a promise or a guarantee, and to what others wait for where it takes several.
struct Operator: Sendable {
    /// The symbols for which it stands, as in the list of public symbols, up to the labels.
    let symbols: [String]
    /// Whether its cancel stays below it.
    var isolates = false
    /// Whether it may give up waiting for the cleanups above it.
    var isTimeout: Bool { symbols.contains("Thenable.timeout(seconds:)") }
    let apply: @Sendable (Link, Lab) -> Link

    /// One of promises, given what its closure calls with its result.
    static func promise(
        _ symbols: String..., isolates: Bool = false, isPlaced: Bool = true,
        _ make: @escaping @Sendable (Promise<Int>, Lab, Lab.Once) -> Promise<Int>
    ) -> Operator {
        Operator(symbols: symbols, isolates: isolates) {
            .promise(make($0.promise, $1, $1.closure(isPlaced: isPlaced)))
        }
    }

    /// One of promises, given what its closure calls to clean up.
    static func cleanup(
        _ symbols: String..., make: @escaping @Sendable (Promise<Int>, Lab, Lab.Once) -> Promise<Int>
    ) -> Operator { Operator(symbols: symbols) { .promise(make($0.promise, $1, $1.cleanup())) } }

    /// One that makes a guarantee of a promise.
    static func sure(
        _ symbol: String, _ make: @escaping @Sendable (Promise<Int>, Lab, Lab.Once) -> Guarantee<Int>
    ) -> Operator { Operator(symbols: [symbol]) { .guarantee(make($0.promise, $1, $1.closure())) } }

    /// One of guarantees.
    static func guarantee(
        _ symbol: String, _ make: @escaping @Sendable (Guarantee<Int>, Lab, Lab.Once) -> Guarantee<Int>
    ) -> Operator { Operator(symbols: [symbol]) { .guarantee(make($0.guarantee($1), $1, $1.closure())) } }

    /// One of promises of lists.
    static func list<Made: Sendable>(
        _ symbol: String, _ make: @escaping @Sendable (Promise<[Int]>, Lab, Lab.Once) -> Promise<Made>
    ) -> Operator { promise(symbol) { make($0.map(on: nil) { [$0] }, $1, $2).map(on: nil) { _ in 0 } } }

    /// One of guarantees of lists.
    static func sureList<Made: Sendable>(
        _ symbol: String, _ make: @escaping @Sendable (Guarantee<[Int]>, Lab, Lab.Once) -> Guarantee<Made>
    ) -> Operator {
        guarantee(symbol) { make($0.map(on: nil) { [$0] }, $1, $2).map(on: nil) { _ in 0 } }
    }
}
