import Foundation
import Pledge
import PledgeCoding

/// A token, or another value that is costly to get. At any time, at most one renewal of the value is in progress, and it
/// serves all callers.
///
/// A caller that joins while a renewal is in progress receives the same value or error. If a caller cancels, only that
/// caller leaves. By default, the renewal runs to its end even without callers, because a service may invalidate the old
/// token as soon as it issues a new one.
package final class SharedRenewal<Value: Sendable>: Sendable {
    private let state: Locked<SharedRenewalState<Value>>
    private let runsWithoutCallers: Bool

    /// - Parameter runsWithoutCallers: Whether a renewal runs to its end if all callers cancel.
    package init(_ value: Value? = nil, runsWithoutCallers: Bool = true) {
        state = Locked(SharedRenewalState(value))
        self.runsWithoutCallers = runsWithoutCallers
    }

    /// The number of renewals that have ended.
    var renewalCount: Int { state.withLock { $0.renewalCount } }

    /// Returns the value, in one of three ways:
    /// - If a renewal is in progress, returns the outcome of that renewal.
    /// - If the latest value is usable, returns it.
    /// - Otherwise, begins a renewal and returns its outcome.
    ///
    /// If a renewal fails, all callers that wait are rejected, and the next caller tries again. If a caller cancels,
    /// the other callers are not affected.
    ///
    /// - Parameters:
    ///   - isUsable: Returns whether the latest value is usable. The second argument is whether the value comes from a
    ///     recent renewal.
    ///   - renew: Gets a new value. It receives the latest value.
    package func value(
        _ clock: Timekeeper, if isUsable: (_ value: Value, _ isNew: Bool) -> Bool = { _, _ in true },
        _ renew: (Value?) -> Promise<Value>
    ) -> Promise<Value> {
        take(clock, renew) { $0.value(if: isUsable, now: $1) }
    }

    private func take(
        _ clock: Timekeeper, _ renew: (Value?) -> Promise<Value>,
        _ find: (SharedRenewalState<Value>, _ now: TimeInterval) -> Promise<Value>?
    ) -> Promise<Value> {
        let now = clock.uptime()
        let (value, renewal, old) = state.withLock { state -> (Promise<Value>, Resolver<Value>?, Value?) in
            if let found = find(state, now) { return (found, nil, nil) }
            let (promise, resolver) = Promise<Value>.pending()
            // This observer never cancels. Without it, the renewal would be canceled when the last caller cancels.
            if runsWithoutCallers { promise.pipe { _ in } }
            state.begin(promise)
            return (promise, resolver, state.value)
        }
        if let renewal {
            let renewed = renew(old)
            if !runsWithoutCallers { renewal.onCancel { renewed.cancel() } }
            renewed.pipe { [state] outcome in
                let now = clock.uptime()
                state.withLock { $0.end(outcome, now: now) }
                renewal.resolve(outcome)
            }
        }
        // Each caller gets a promise of its own. Otherwise, if one caller canceled the shared promise, it would be
        // rejected for all callers.
        return Promise(value)
    }
}

extension SharedRenewal<String> {
    /// Returns a token in place of one that the service refused. Rejects with ``NoOtherToken`` if a renewal returns the
    /// refused token.
    func replacement(
        for refused: SentCredential, _ clock: Timekeeper, _ renew: () -> Promise<String>
    ) -> Promise<String> {
        @Sendable func check(_ token: String) throws { if token == refused.token { throw NoOtherToken() } }
        let renewed = take(clock, { _ in renew().get(on: nil, check) }) { $0.knownReplacement(for: refused, now: $1) }
        // This check is needed for a caller that has joined a renewal: the token that it sent may differ from the token
        // of the caller that began the renewal.
        return renewed.get(on: nil, check)
    }
}

/// The state of a value that can be renewed, as a pure value. Its methods return what ``SharedRenewal`` returns.
///
/// The outcome of a renewal counts for all refused requests that were sent before the renewal ended. So if many
/// requests are refused together, there is only one renewal. The outcome does not count for requests that were sent
/// later. After the `window`, it does not count for any request, so that a renewal that failed is tried again.
struct SharedRenewalState<Value: Sendable>: Sendable {
    /// The seconds for which the outcome of a renewal is remembered.
    static var window: TimeInterval { 10 }

    /// The latest value, even if it is old; nil before the first value.
    private(set) var value: Value?
    /// The number of renewals that have ended. A request records this number when it is sent, so that it is known which
    /// renewals ended later.
    private(set) var renewalCount = 0
    private var inProgress: Promise<Value>?
    private var last: (outcome: Result<Value, any Error>, end: TimeInterval)?

    init(_ value: Value?) { self.value = value }

    /// Returns the value that a caller receives: that of the renewal in progress, or the latest value. Returns nil if
    /// the caller must begin a renewal.
    ///
    /// `isUsable` should return true for a new token even if the token seems to have expired. If the clock is wrong,
    /// renewing the token again would not help.
    func value(if isUsable: (_ value: Value, _ isNew: Bool) -> Bool, now: TimeInterval) -> Promise<Value>? {
        // If all callers have canceled, the renewal may not have ended yet.
        if let inProgress, inProgress.isPending { return inProgress }
        guard let value else { return nil }
        let isNew = if case .success? = recent(now) { true } else { false }
        return isUsable(value, isNew) ? .value(value) : nil
    }

    mutating func begin(_ renewal: Promise<Value>) { inProgress = renewal }

    mutating func end(_ outcome: Result<Value, any Error>, now: TimeInterval) {
        inProgress = nil
        renewalCount += 1
        last = (outcome, now)
        if case .success(let value) = outcome { self.value = value }
    }

    private func recent(_ now: TimeInterval) -> Result<Value, any Error>? {
        // If the clock was set back, it is unknown how much time has passed.
        last.flatMap { 0..<Self.window ~= now - $0.end ? $0.outcome : nil }
    }
}

extension SharedRenewalState<String> {
    /// Returns the token for a request whose token was refused; nil if the caller must begin a renewal.
    func knownReplacement(for refused: SentCredential, now: TimeInterval) -> Promise<String>? {
        if let inProgress { return inProgress }
        let isEarlier = refused.renewalCount < renewalCount
        switch recent(now) {
        case .success(let renewed)? where renewed == refused.token:
            return refused.isFromStore ? nil : Promise(error: NoOtherToken(isNew: true))
        case .success(let renewed)? where isEarlier: return .value(renewed)
        case .failure(let error)? where isEarlier: return Promise(error: error)
        default: return nil
        }
    }
}
