import Dispatch
import Foundation

extension Thenable {
    /// Blocks the calling thread until the promise settles, for use in scripts and tests.
    ///
    /// On the main thread, this keeps the main queue and run loop served, so that handlers there still run; but not if
    /// it is called inside one of them, because the main queue runs one at a time.
    ///
    /// - Returns: The value of the promise.
    /// - Throws: The error of the promise.
    /// - Precondition: Not called for a pending promise from a handler on the default queue, which would then never be
    ///   free to settle it. This is detected if the handler itself waits, but not if it makes another thread wait and
    ///   waits for that, as with `DispatchQueue.main.sync`.
    @available(*, noasync, message: "await promise.value instead")
    public func wait() throws -> T { try wait(until: nil) }

    /// Blocks the calling thread until the promise settles or a time limit is exceeded; see ``wait()``.
    ///
    /// - Parameter timeout: The time limit, in seconds. It is exceeded at once if it is negative.
    /// - Throws: The error of the promise, or ``PromiseError/timedOut(seconds:)`` if the time limit is exceeded. That
    ///   doesn't cancel the promise: to do so, call `cancel()`, or use ``timeout(seconds:timekeeper:)``. Throws
    ///   ``PromiseError/badInput(_:)`` if `timeout` is not a number.
    @available(*, noasync, message: "await promise.value instead")
    public func wait(timeout: TimeInterval) throws -> T {
        guard !timeout.isNaN else { throw PromiseError.badInput("wait cannot have a timeout that is not a number.") }
        guard timeout < 1e9 else { return try wait(until: nil) }
        return try wait(until: (.now() + timeout, timeout))
    }

    private func wait(until limit: (deadline: DispatchTime, seconds: TimeInterval)?) throws -> T {
        let promise = _promise
        if promise.storage.look() == nil {
            // First runs what an inline handler has begun, which may be what settles the promise.
            try Trampoline.pause { try block(until: promise, limit) }
        }
        _ = promise.storage.look()
        return try promise._outcome.get()
    }

    private func block(
        until promise: Promise<T>, _ limit: (deadline: DispatchTime, seconds: TimeInterval)?
    ) throws {
        let settled = DispatchSemaphore(value: 0)
        let isMain = Thread.isMainThread
        let ticket = promise.storage.observe { _ in
            settled.signal()
            // Wakes the run loop below, in case it is asleep.
            if isMain { DispatchQueue.main.async {} }
        }
        guard let ticket else { return }
        guard limit != nil || !DefaultQueue.shared.isCurrent else {
            // Not a precondition: a release build would stop without the message.
            fatalError(
                "Pledge: wait() was called inside a handler on the default queue, which would then never be free to "
                    + "settle the promise. Return the promise from a then closure, or give the handler a queue with "
                    + "on:.")
        }
        let deadline = limit?.deadline ?? .distantFuture
        let isInTime = isMain ? serveMain(until: settled, deadline) : settled.wait(timeout: deadline) == .success
        // A wait that timed out hasn't observed the outcome: a later error is still reported. But if the promise has
        // settled, and only the signal hasn't arrived, the outcome was delivered here.
        if !isInTime, promise.storage.release(ticket) != nil {
            throw PromiseError.timedOut(seconds: limit?.seconds ?? 0)
        }
    }

    private func serveMain(until settled: DispatchSemaphore, _ deadline: DispatchTime) -> Bool {
        while settled.wait(timeout: .now()) == .timedOut {
            let now = DispatchTime.now()
            guard now < deadline else { return false }
            let left = min(Double(deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1e9, 3600)
            // Returns after each piece of work, or immediately if the run loop has nothing to wait for.
            let isIdle = !RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: left))
            if isIdle, settled.wait(timeout: .now() + .milliseconds(5)) == .success { break }
        }
        return true
    }
}

extension Guarantee {
    /// Blocks the calling thread until the value is available; see ``Thenable/wait()``.
    @available(*, noasync, message: "await guarantee.value instead")
    public func wait() -> T {
        _ = try? _promise.wait()
        return _promise._guaranteed
    }
}
