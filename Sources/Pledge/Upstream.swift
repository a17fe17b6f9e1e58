/// What a promise waits for: another promise, or an object that waits for several promises (`Join`, `Throttle`).
@usableFromInline package class Upstream: LockedObject, @unchecked Sendable {
    // Unchecked: this class has no state of its own.

    @usableFromInline override init() { super.init() }

    /// Removes the handler with this ticket, because the promise that it settles was canceled or released. An object
    /// that waits for several promises removes its handlers from all of them.
    ///
    /// Returns the promises to cancel, unless something else waits for them. The caller begins with the last one.
    @discardableResult func unsubscribe(_ ticket: Ticket) -> [PromiseStorage] { [] }

    /// Stops counting the handler with this ticket as a dependent, because the promise that it settles was canceled.
    /// That promise is a guarantee or an `ensure`, so it continues to wait.
    ///
    /// - Parameter holds: Whether the handler keeps that promise alive, so that the promise's closure runs. False if
    ///   the wait may take long.
    @discardableResult func uncount(_ ticket: Ticket, holds: Bool) -> [PromiseStorage] { [] }

    /// The promises that this object waits for. A promise returns itself.
    var promises: [PromiseStorage] { [] }

    /// Returns what a cancel has left unfinished at this object and above it.
    func unfinished() -> Unfinished {
        let all = promises.map { $0.unfinished() }
        return Unfinished(cleanup: .all(all.compactMap(\.cleanup)), marks: all.reduce([]) { $0.union($1.marks) })
    }

    /// Ends the wait after a cancel, for an object that then has a result. `cleanup` settles once the cleanups above this
    /// object have ended; nil if there are none.
    func endCanceled(after cleanup: PromiseStorage?) {}

    /// Removes handlers from the promises they wait for. Returns the promises that were still pending. If these reject
    /// later, their errors count as handled.
    static func unsubscribe(_ waited: [(PromiseStorage, Ticket)]) -> [PromiseStorage] {
        let left = waited.flatMap { promise, ticket in promise.unsubscribe(ticket) }
        for promise in left { promise.withState { $0.set(.observed) } }
        return left
    }

    /// Removes handlers from promises whose outcomes no longer matter to `output`. These promises continue, unless
    /// `output` was canceled. In that case, they are canceled as well, if nothing else waits for them.
    static func unsubscribe(_ waited: [(PromiseStorage, Ticket)], for output: PromiseStorage) {
        let left = unsubscribe(waited)
        if output.isCancelled { left.reversed().forEach { $0.cancel(unlessAwaited: true) } }
    }
}

/// What a cancel has left unfinished above a promise.
struct Unfinished {
    /// A promise that settles once all `ensure` closures that the cancel has started have ended, or nil if there are
    /// none.
    var cleanup: PromiseStorage?
    /// Whether a source continues for another dependent (`continues`), and whether a guarantee's value may take long
    /// (`long`).
    var marks: PromiseStorage.State.Marks = []
}
