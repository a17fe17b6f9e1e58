import Foundation

extension Thenable {
    /// Gives up on a promise that takes too long.
    ///
    /// - Parameters:
    ///   - seconds: how long to wait, 0 or more.
    ///   - timekeeper: the clock.
    /// - Rejects: as this promise, or with ``PromiseError/timedOut(seconds:)`` when the time is up; this promise is
    ///   then cancelled, unless somebody else waits for it; with ``PromiseError/badInput(_:)`` for a time that makes no
    ///   sense.
    /// - Cancellation: passes up to this promise.
    public func timeout(seconds: TimeInterval, timekeeper: Timekeeper = .live) -> Promise<T> {
        guard seconds >= 0 else {
            return Promise(error: PromiseError.badInput("A timeout of \(seconds) s was asked for: it takes 0 or more."))
        }
        let source = _promise
        let output = Promise<T>(role: [])
        let alarm = Locked<(@Sendable () -> Void)?>(nil)
        @Sendable func callOff() {
            alarm.withLock { $0.take() }?()
        }
        let handler = _AnyPromise.handler { _, source in
            output._follow(unsafeDowncast(source, to: Promise<T>.self))
            callOff()
        }
        source._register(handler)
        output.onCancel { alsoCancel in
            callOff()
            if source.release(handler) { alsoCancel.append(source) }
        }
        let cancelAlarm = timekeeper.schedule(seconds) {
            output._reject(PromiseError.timedOut(seconds: seconds))
            if source.release(handler) { source.cancelIfUnused() }
        }
        alarm.withLock { $0 = cancelAlarm }
        // Settled before there was anything to call off.
        if output.peekState() != .pending { callOff() }
        return output
    }
}
