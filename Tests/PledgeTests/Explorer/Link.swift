@testable import Pledge
import PledgeTestSupport

/// The promise or guarantee that an operator made in a program of the explorer.
enum Link {
    case promise(Promise<Int>)
    case guarantee(Guarantee<Int>)

    /// The promise, or the promise that the guarantee wraps.
    var promise: Promise<Int> {
        switch self {
        case .promise(let promise): promise
        case .guarantee(let guarantee): guarantee._promise
        }
    }

    /// Returns the guarantee. If the link is a promise, `recover` makes a guarantee from it.
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

/// An operator or a combinator, applied to a promise or a guarantee. A combinator of several promises is also applied to a
/// promise that other code waits for.
struct Operator: Sendable {
    /// The public symbols that this operator covers, as in the list of public symbols, but only with their argument labels.
    let symbols: [String]
    /// Whether a cancel of this operator's promise doesn't reach the promise above.
    var isolates = false
    /// Whether this operator may settle without waiting for the cleanups above it.
    var isTimeout: Bool { symbols.contains("Thenable.timeout(seconds:)") }
    let apply: @Sendable (Link, Lab) -> Link

    /// An operator on promises. The last argument of `make` is a callable value, which the operator's closure must call with the
    /// closure's result.
    static func promise(
        _ symbols: String..., isolates: Bool = false, isPlaced: Bool = true,
        _ make: @escaping @Sendable (Promise<Int>, Lab, Lab.Once) -> Promise<Int>
    ) -> Operator {
        Operator(symbols: symbols, isolates: isolates) {
            .promise(make($0.promise, $1, $1.closure(isPlaced: isPlaced)))
        }
    }

    /// An operator on promises that cleans up. The last argument of `make` is a callable value, which the operator's closure must
    /// call.
    static func cleanup(
        _ symbols: String..., make: @escaping @Sendable (Promise<Int>, Lab, Lab.Once) -> Promise<Int>
    ) -> Operator { Operator(symbols: symbols) { .promise(make($0.promise, $1, $1.cleanup())) } }

    /// An operator that makes a guarantee from a promise.
    static func sure(
        _ symbol: String, _ make: @escaping @Sendable (Promise<Int>, Lab, Lab.Once) -> Guarantee<Int>
    ) -> Operator { Operator(symbols: [symbol]) { .guarantee(make($0.promise, $1, $1.closure())) } }

    /// An operator on guarantees.
    static func guarantee(
        _ symbol: String, _ make: @escaping @Sendable (Guarantee<Int>, Lab, Lab.Once) -> Guarantee<Int>
    ) -> Operator { Operator(symbols: [symbol]) { .guarantee(make($0.guarantee($1), $1, $1.closure())) } }

    /// An operator on promises of lists.
    static func list<Made: Sendable>(
        _ symbol: String, _ make: @escaping @Sendable (Promise<[Int]>, Lab, Lab.Once) -> Promise<Made>
    ) -> Operator { promise(symbol) { make($0.map(on: nil) { [$0] }, $1, $2).map(on: nil) { _ in 0 } } }

    /// An operator on guarantees of lists.
    static func sureList<Made: Sendable>(
        _ symbol: String, _ make: @escaping @Sendable (Guarantee<[Int]>, Lab, Lab.Once) -> Guarantee<Made>
    ) -> Operator {
        guarantee(symbol) { make($0.map(on: nil) { [$0] }, $1, $2).map(on: nil) { _ in 0 } }
    }
}
