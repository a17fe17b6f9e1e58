import Pledge

/// Runs one piece of work at a time and shares its outcome with all callers.
///
/// A caller that joins while the work is in progress receives the same value or error; a later caller starts it again.
/// Canceling only leaves: the work runs to its end even without callers, as a service may invalidate the old token as
/// soon as it issues a new one.
package final class SingleFlight<Value: Sendable>: Sendable {
    private let latest = Locked<Promise<Value>?>(nil)

    package init() {}

    /// Returns the outcome of the work in progress, else the known value, else the outcome of `work`, which it starts.
    ///
    /// - Parameters:
    ///   - known: Returns a value that makes the work unnecessary. Called only while no work is in progress, by one
    ///     caller at a time: it sees what the work stores before it settles.
    ///   - work: Starts the work.
    /// - Rejects: With the error of the work, for all callers that wait; the next caller tries again.
    /// - Cancellation: Stops waiting, for this caller only.
    package func join(
        unless known: () -> Promise<Value>? = { nil }, _ work: () -> Promise<Value>
    ) -> Promise<Value> {
        let (outcome, begin) = latest.withLock { latest -> (Promise<Value>, Resolver<Value>?) in
            if let latest, latest.isPending { return (latest, nil) }
            if let known = known() { return (known, nil) }
            let (promise, resolver) = Promise<Value>.pending()
            // Keeps an observer at all times; otherwise the last caller to leave would cancel the work.
            promise.pipe { _ in }
            latest = promise
            return (promise, resolver)
        }
        if let begin { work().pipe { begin.resolve($0) } }
        // Each caller has its own promise: canceling a shared one would reject it for all.
        return Promise(outcome)
    }
}
