extension Thenable {
    /// Returns a promise for one of several callers: it settles in the same way, but canceling it affects only that
    /// caller.
    ///
    /// ```swift
    /// let profile = profiles[id] ?? load(id)   // a promise that is kept for everyone who asks
    /// return profile.shared()
    /// ```
    ///
    /// - Cancellation: Doesn't propagate to this promise, even if every caller cancels. To stop the work, cancel this
    ///   one.
    public func shared() -> Promise<T> {
        _promise.storage.withState { $0.set(.shared) }
        return Promise(self)
    }
}
