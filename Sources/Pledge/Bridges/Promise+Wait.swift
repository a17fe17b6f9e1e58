import Dispatch
import Foundation

extension Thenable {
    /// Blocks the calling thread until the promise settles: for scripts and tests.
    ///
    /// On the main thread it keeps the main queue and run loop served, so handlers there still run; but not inside one of
    /// them, as the main queue runs one at a time.
    ///
    /// - Returns: the value.
    /// - Throws: what the promise rejects with.
    /// - Precondition: not called for a pending promise from a handler on the default queue, which would then never be
    ///   free to settle it. That is seen where the handler itself waits, not where it hands the waiting to another
    ///   thread and waits for that, as with `DispatchQueue.main.sync`.
    @available(*, noasync, message: "await promise.value instead")
    public func wait() throws -> T {
        try wait(until: nil)
    }

    /// Blocks the calling thread until the promise settles, but not for ever; see ``wait()``.
    ///
    /// - Parameter timeout: how long, in seconds.
    /// - Throws: what the promise rejects with; ``PromiseError/timedOut(seconds:)`` when the time is up. The promise
    ///   goes on: cancel it, or use ``timeout(seconds:timekeeper:)``, if it should not.
    @available(*, noasync, message: "await promise.value instead")
    public func wait(timeout: TimeInterval) throws -> T {
        guard timeout < 1e9 else { return try wait(until: nil) }
        return try wait(until: (.now() + timeout, timeout))
    }

    private func wait(until limit: (deadline: DispatchTime, seconds: TimeInterval)?) throws -> T {
        let promise = _promise
        if promise._look() == nil {
            // What an inline handler has begun is done first: it may be what settles the promise.
            try Trampoline.pause { try block(until: promise, limit) }
        }
        _ = promise._look()
        return try promise._outcome.get()
    }

    private func block(
        until promise: Promise<T>, _ limit: (deadline: DispatchTime, seconds: TimeInterval)?
    ) throws {
        let settled = DispatchSemaphore(value: 0)
        let isMain = Thread.isMainThread
        let ticket = promise.observe { _ in
            settled.signal()
            // Wakes the run loop below, should it be asleep.
            if isMain { DispatchQueue.main.async {} }
        }
        guard let ticket else { return }
        guard !DefaultQueue.shared.isCurrent else {
            // Not a precondition: a release build would stop without the sentence.
            fatalError(
                "Pledge: wait() was called inside a handler on the default queue, which would then never be free to "
                    + "settle the promise. Return the promise from a then closure, or give the handler a queue with "
                    + "on:.")
        }
        let isInTime = isMain ? serveMain(until: settled, limit?.deadline) : block(on: settled, limit?.deadline)
        // Somebody who gave up has not looked: an error that comes later is still reported. But if it has come, and
        // only the news of it has not, this is who was told.
        if !isInTime, promise.release(ticket) { throw PromiseError.timedOut(seconds: limit?.seconds ?? 0) }
    }

    private func block(on settled: DispatchSemaphore, _ deadline: DispatchTime?) -> Bool {
        settled.wait(timeout: deadline ?? .distantFuture) == .success
    }

    private func serveMain(until settled: DispatchSemaphore, _ deadline: DispatchTime?) -> Bool {
        while settled.wait(timeout: .now()) == .timedOut {
            let now = DispatchTime.now()
            if let deadline, now >= deadline { return false }
            let left = deadline.map { Double($0.uptimeNanoseconds - now.uptimeNanoseconds) / 1e9 } ?? 3600
            // Returns after each piece of work; at once, if the run loop has nothing it could wait for.
            if !RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: left)) {
                if settled.wait(timeout: .now() + .milliseconds(5)) == .success { break }
            }
        }
        return true
    }
}

extension Guarantee {
    /// Blocks the calling thread until the value is there; see ``Thenable/wait()``.
    @available(*, noasync, message: "await guarantee.value instead")
    public func wait() -> T {
        _ = try? _promise.wait()
        return _promise._guaranteed
    }
}
