/// What a promise waits for: another promise, or several of them.
@usableFromInline package class Upstream: LockedObject, @unchecked Sendable {
    // Unchecked: it has no state of its own.

    @usableFromInline override init() { super.init() }

    /// Stops waiting for it. What it does continues.
    ///
    /// - Parameter ticket: Identifies the handler, unless it is several promises.
    /// - Returns: The handler, if it was still waiting.
    @discardableResult func release(_ ticket: Ticket) -> Handler? { nil }

    /// Called when the promise that waits was canceled. Stops counting its handlers as dependents.
    ///
    /// - Parameters:
    ///   - runs: Whether their closures are still to run, because that promise belongs to a guarantee.
    ///   - isCleanup: Whether that promise belongs to an `ensure`.
    /// - Returns: The promises to be canceled unless something else waits for them, the last first.
    func uncount(_ ticket: Ticket, runs: Bool, isCleanup: Bool) -> [PromiseStorage] { [] }

    /// Called when the cancel has reached those promises. Of several, stops waiting for those that don't clean up.
    ///
    /// - Parameter isGuarantee: Whether the promise that waits goes on waiting for its value.
    /// - Returns: Whether there is still a cleanup to wait for.
    func unwinds(isGuarantee: Bool) -> Bool { false }
}
