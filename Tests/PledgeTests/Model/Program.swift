import Foundation
import PledgeTestSupport

/// A program of promises: the promises that it creates, in this order, and what several threads then do with them.
struct Program: CustomStringConvertible {
    struct Node {
        let kind: Kind
        /// The actions that the closure of the node's handler performs. If the node is a source, its cancel hook performs them.
        var inside: [Action] = []
        /// The actions that are performed when the values that the node's handler captured are released.
        var atEnd: [Action] = []
    }

    /// How a promise is created. The numbers after `of` and `other` are those of earlier nodes.
    enum Kind {
        case source, guaranteeSource, pause
        case value(Int), error(Fault)
        case step(Step, of: Int, other: Int, on: Place)
        case guaranteeStep(GuaranteeStep, of: Int, other: Int, on: Place)
        case joined(Joined, of: [Int])
    }

    /// Operators that make a promise from a promise. Some of them use a second promise: a closure of `then`, for example,
    /// returns it.
    enum Step: CaseIterable {
        case map, throwing, then, compactMap, done, get, tap, asVoid, caught, caughtOne, recover, recoverOne, mapError
        case ensure, ensureThen, cauterize, timeout, followed, awaited, retry, thenMap, firstValue, shared
    }

    /// Operators that make a guarantee from a promise or from another guarantee.
    enum GuaranteeStep: CaseIterable { case map, then, done, get, asVoid, recover, settled }

    enum Joined: CaseIterable {
        case all, allInTurn, resolved, resolvedInTurn, first, firstFulfilled, allGuarantees, firstGuarantee
    }

    /// Where handlers run. `main` and `global` ask Dispatch for the queue each time; `mainKept` always uses the same object.
    enum Place: CaseIterable {
        case unsaid, pledge, inline, first, firstFlagged, second, main, mainKept
        case global, globalUtility, concurrent, barrier
    }

    enum Action {
        case fulfill(Int, Int), reject(Int, Fault), cancel(Int)
        /// Adds a handler.
        case attach(Int, Place)
        /// Adds two handlers on a concurrent queue, each of which waits for the other.
        case meet(Int)
        /// Adds operators to a settled promise. The promises that the operators return must be settled at once.
        case chain
        case look(Int)
        /// Waits with a timeout of zero.
        case wait(Int)
        /// Releases the promise.
        case forget(Int)
        /// Cancels the promise, and releases it.
        case abandon(Int)
        case ring
    }

    let seed: UInt64
    var nodes: [Node] = []
    var threads: [[Action]] = []

    var description: String {
        let made = nodes.enumerated().map { number, node in
            "\(number): \(node.kind)" + (node.inside.isEmpty ? "" : " inside \(node.inside)")
                + (node.atEnd.isEmpty ? "" : " atEnd \(node.atEnd)")
        }
        let done = threads.enumerated().map { "thread \($0): \($1)" }
        return (["seed \(seed)"] + made + done).joined(separator: "\n    ")
            .replacingOccurrences(of: "PledgeTests.Program.", with: "")
    }

    func isGuarantee(_ number: Int) -> Bool {
        switch nodes[number].kind {
        case .guaranteeSource, .pause, .guaranteeStep, .joined(.resolved, _), .joined(.resolvedInTurn, _),
            .joined(.allGuarantees, _), .joined(.firstGuarantee, _):
            true
        default: false
        }
    }

    /// All actions of the program.
    var actions: [Action] { threads.flatMap { $0 } + nodes.flatMap { $0.inside + $0.atEnd } }
}
