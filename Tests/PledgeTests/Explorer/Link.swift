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
    let apply: @Sendable (Link, Lab) -> Link

    init(_ symbols: String..., isolates: Bool = false, apply: @escaping @Sendable (Link, Lab) -> Link) {
        (self.symbols, self.isolates, self.apply) = (symbols, isolates, apply)
    }

    /// An operator of promises.
    init(
        _ symbols: String..., isolates: Bool = false, of apply: @escaping @Sendable (Promise<Int>, Lab) -> Promise<Int>
    ) {
        (self.symbols, self.isolates) = (symbols, isolates)
        self.apply = { .promise(apply($0.promise, $1)) }
    }

    /// An operator of guarantees.
    init(_ symbols: String..., safe apply: @escaping @Sendable (Guarantee<Int>, Lab) -> Guarantee<Int>) {
        self.symbols = symbols
        self.apply = { .guarantee(apply($0.guarantee($1), $1)) }
    }
}
