import Foundation

extension Thenable {
    /// Gives up on a promise that takes too long.
    ///
    /// - Parameters:
    ///   - seconds: how long to wait.
    ///   - timekeeper: the clock.
    /// - Rejects: as this promise, or with ``PromiseError/timedOut(seconds:)`` when the time is up; this promise is
    ///   then cancelled, unless somebody else waits for it.
    /// - Cancellation: passes up to this promise.
    public func timeout(seconds: TimeInterval, timekeeper: Timekeeper = .live) -> Promise<T> {
        let source = _promise
        let output = Promise<T>(role: [])
        let handler = _Handler(role: [.values, .rejections, .plumbing])
        let callOff = timekeeper.schedule(seconds) {
            output._reject(PromiseError.timedOut(seconds: seconds))
            source.release(handler, cancelling: true)
        }
        output.onCancel {
            callOff()
            source.release(handler, cancelling: true)
        }
        source._register(handler) { _, source in
            callOff()
            output._follow(unsafeDowncast(source, to: Promise<T>.self))
        }
        return output
    }
}
