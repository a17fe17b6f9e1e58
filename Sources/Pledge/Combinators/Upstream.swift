/// What a promise waits for: another promise, or several of them.
@usableFromInline package class Upstream: LockedObject, @unchecked Sendable {
    // Unchecked: it has no state of its own.

    @usableFromInline override init() { super.init() }

    /// Stops waiting for it, because the promise that waits was canceled or released.
    ///
    /// - Parameter ticket: Identifies the handler, unless it is several promises.
    /// - Returns: The promises to be canceled unless something else waits for them, the last first.
    @discardableResult func leave(_ ticket: Ticket) -> [PromiseStorage] { [] }

    /// Stops counting as a dependent, because the promise that waits was canceled. It waits all the same: it belongs to a
    /// guarantee or an `ensure`.
    ///
    /// - Parameter holds: Whether the promise is still kept alive, for its closure. Not where that could be for long.
    @discardableResult func uncount(_ ticket: Ticket, holds: Bool) -> [PromiseStorage] { [] }

    /// Returns what a cancel that has reached it leaves unfinished.
    ///
    /// - Parameter end: The promise on which `cancel` was called. Only a cycle leads to it.
    func unfinished(below end: PromiseStorage) -> Unfinished { Unfinished() }
}

/// What a cancel leaves unfinished further up.
struct Unfinished {
    /// A promise that settles once the cleanups have ended that cancels have set off, or nil if there are none.
    var cleanup: PromiseStorage?
    /// Whether something goes on for something else, and whether a guarantee's value may be long in coming.
    var marks: PromiseStorage.State.Marks = []
}
