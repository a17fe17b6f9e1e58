/// What a promise waits for: another promise, or several of them.
@usableFromInline package class Upstream: LockedObject, @unchecked Sendable {
    // Unchecked: it has no state of its own.

    @usableFromInline override init() { super.init() }

    /// Removes the handler with this ticket (all, if there are several promises), because the promise that waits was
    /// canceled or released. Returns the promises to cancel unless something else waits for them, the last first.
    @discardableResult func unsubscribe(_ ticket: Ticket) -> [PromiseStorage] { [] }

    /// Stops counting the handler as a dependent: its promise was canceled, but waits on for a guarantee or `ensure`.
    /// If `holds`, the handler keeps that promise alive for its closure, but not where the wait could be long.
    @discardableResult func uncount(_ ticket: Ticket, holds: Bool) -> [PromiseStorage] { [] }

    /// The promises that it consists of.
    var promises: [PromiseStorage] { [] }

    /// Returns what a cancel that has reached it leaves unfinished.
    func unfinished() -> Unfinished {
        let all = promises.map { $0.unfinished() }
        return Unfinished(cleanup: .all(all.compactMap(\.cleanup)), marks: all.reduce([]) { $0.union($1.marks) })
    }

    /// Removes handlers. Returns the promises that were still pending, whose errors count as handled.
    static func unsubscribe(_ waited: [(PromiseStorage, Ticket)]) -> [PromiseStorage] {
        let left = waited.flatMap { promise, ticket in promise.unsubscribe(ticket) }
        for promise in left { promise.withState { $0.set(.observed) } }
        return left
    }

    /// Removes handlers whose promises are of no more use to `output`. They continue, unless that was canceled.
    static func unsubscribe(_ waited: [(PromiseStorage, Ticket)], for output: PromiseStorage) {
        let left = unsubscribe(waited)
        if output.isCancelled { left.reversed().forEach { $0.cancel(unlessAwaited: true) } }
    }
}

/// What a cancel leaves unfinished further up.
struct Unfinished {
    /// A promise that settles once the cleanups set off by the cancel have ended; nil if there are none.
    var cleanup: PromiseStorage?
    /// Whether a source continues for another dependent, and whether a guarantee's value may take long.
    var marks: PromiseStorage.State.Marks = []
}
