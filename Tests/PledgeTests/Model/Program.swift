import Foundation
import PledgeTestSupport

/// A program of promises: what it creates, in this order, and what several threads then do with that.
struct Program: CustomStringConvertible {
    struct Node {
        let kind: Kind
        /// Performed by the closure of its handler or, if it is a source, by its cancel hook.
        var inside: [Action] = []
        /// Performed when what its handler captured is released.
        var atEnd: [Action] = []
    }

    /// How a promise is created. Numbers are those of earlier nodes.
    enum Kind {
        case source, guaranteeSource, pause
        case value(Int), error(Fault)
        case step(Step, of: Int, other: Int, on: Place)
        case guaranteeStep(GuaranteeStep, of: Int, other: Int, on: Place)
        case joined(Joined, of: [Int])
    }

    /// Operators from any promise to another promise. Some have a second one: `then`, for example, returns it.
    enum Step: CaseIterable {
        case map, throwing, then, compactMap, done, get, tap, asVoid, caught, caughtOne, recover, recoverOne, mapError
        case ensure, ensureThen, cauterize, timeout, followed, awaited, retry, thenMap, firstValue, shared
    }

    /// Operators from a promise to a guarantee, or from a guarantee to another.
    enum GuaranteeStep: CaseIterable { case map, then, done, get, asVoid, recover, settled }

    enum Joined: CaseIterable {
        case all, allInTurn, resolved, resolvedInTurn, first, firstFulfilled, allGuarantees, firstGuarantee
    }

    /// Where handlers run. Each `main` and `global` is obtained anew; `mainKept` is always the same object.
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
        /// Chains onto a settled promise.
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
