import Pledge

/// One piece of work at a time, for all who want what comes of it.
///
/// Whoever asks while it is under way waits for the same outcome, value or error; whoever asks later begins anew.
/// Cancelling is leaving: the work runs to its end even if nobody is left, as a service may void the old token the moment
/// it hands out a new one.
package final class SingleFlight<Value: Sendable>: Sendable {
    private let latest = Locked<Promise<Value>?>(nil)

    package init() {}

    /// The outcome of the work under way; else what is known; else of `work`, which begins.
    ///
    /// - Parameters:
    ///   - known: what makes the work unnecessary. Looked up only while none is under way, and by one caller at a time:
    ///     what the work leaves behind before it settles is seen here.
    ///   - work: begins the work.
    /// - Rejects: as the work does, for all who wait; the next one tries again.
    /// - Cancellation: stops waiting, for this caller only.
    package func join(
        unless known: () -> Promise<Value>? = { nil }, _ work: () -> Promise<Value>
    ) -> Promise<Value> {
        let (outcome, begin) = latest.withLock { latest -> (Promise<Value>, Resolver<Value>?) in
            if let latest, latest.isPending { return (latest, nil) }
            if let known = known() { return (known, nil) }
            let (promise, resolver) = Promise<Value>.pending()
            // Somebody always waits, or else the last one to leave would take the work along.
            promise.pipe { _ in }
            latest = promise
            return (promise, resolver)
        }
        if let begin { work().pipe { begin.resolve($0) } }
        // A promise for each: cancelled, a shared one would reject for all.
        return Promise(outcome)
    }
}
