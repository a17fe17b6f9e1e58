import Dispatch
import Foundation

extension Thenable {
    /// Blocks the calling thread until the promise settles, for use in scripts and tests.
    ///
    /// On the main thread, this keeps the main queue and run loop served, so that handlers there still run.
    ///
    /// - Throws: The error of the promise; or ``PromiseError/deadlock(file:line:)`` if the promise is pending and the
    ///   call is in a handler on the default or the main queue, which would not be free to settle it. A handler that
    ///   makes another thread wait and waits for that, as with `DispatchQueue.main.sync`, isn't detected.
    @available(*, noasync, message: "await promise.value instead")
    public func wait(file: StaticString = #fileID, line: UInt = #line) throws -> T {
        try wait { .deadlock(file: "\(file)", line: line) }
    }

    /// Blocks the calling thread until the promise settles or a time limit is exceeded; see ``wait(file:line:)``.
    ///
    /// - Parameter timeout: The time limit, in seconds. It is exceeded at once if it is negative.
    /// - Throws: The error of the promise, or ``PromiseError/timedOut(seconds:)`` if the time limit is exceeded. That
    ///   doesn't cancel the promise: to do so, call `cancel()`, or use ``timeout(seconds:timekeeper:)``. Throws
    ///   ``PromiseError/badInput(_:)`` if `timeout` is not a number.
    @available(*, noasync, message: "await promise.value instead")
    public func wait(timeout: TimeInterval) throws -> T {
        guard !timeout.isNaN else { throw PromiseError.badInput("The timeout of wait is not a number.") }
        // Dispatch's clock ends in a few hundred years.
        return try wait(until: .now() + min(timeout, 1e9)) { .timedOut(seconds: timeout) }
    }

    /// - Parameter failure: The error to throw once the time limit is exceeded or, without one, instead of waiting at
    ///   all.
    private func wait(until deadline: DispatchTime = .distantFuture, _ failure: () -> PromiseError) throws -> T {
        let promise = _promise
        if promise.storage.isFulfilled() == nil {
            // First runs what an inline handler has begun, which may be what settles the promise.
            try Trampoline.pause { try block(until: promise, deadline, failure) }
        }
        _ = promise.storage.isFulfilled()
        return try promise._outcome.get()
    }

    private func block(until promise: Promise<T>, _ deadline: DispatchTime, _ failure: () -> PromiseError) throws {
        if deadline == .distantFuture, DefaultQueue.shared.isBlocked, promise.storage.isPending { throw failure() }
        let settled = DispatchSemaphore(value: 0)
        let isMain = Thread.isMainThread
        let ticket = promise.storage.observe { _ in
            settled.signal()
            // Wakes the run loop below, in case it is asleep.
            if isMain { DispatchQueue.main.async {} }
        }
        guard let ticket else { return }
        #if DEBUG
            scheduler?.willWait(for: settled, until: deadline)
        #endif
        let isInTime = isMain ? serveMain(until: settled, deadline) : settled.wait(timeout: deadline) == .success
        // A wait that timed out hasn't observed the outcome: a later error is still reported. But if the promise has
        // settled, and only the signal hasn't arrived, the outcome was delivered here.
        if !isInTime, promise.storage.release(ticket) != nil { throw failure() }
    }

    func serveMain(until settled: DispatchSemaphore, _ deadline: DispatchTime) -> Bool {
        while settled.wait(timeout: .now()) == .timedOut {
            let now = DispatchTime.now()
            guard now < deadline else { return false }
            let left = min(Double(deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1e9, 3600)
            // Returns after each piece of work, or immediately if the run loop has nothing to wait for.
            let isIdle = !RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: left))
            if isIdle, settled.wait(timeout: .now() + .milliseconds(5)) == .success { break }
        }
        return true
    }
}

extension Thenable {
    /// Waits for the promise, and ends the process with exit code 1 if it is rejected: the end of a script, or of a
    /// step that it cannot continue without.
    ///
    /// ```swift
    /// fetch().done { print($0) }.waitOrExit()
    /// ```
    ///
    /// The error, which may also be that the promise was canceled, is printed on standard error as one line. The main
    /// queue is served meanwhile. Code that awaits can be waited for, too: `Promise { … }.waitOrExit()`.
    @available(
        *, noasync, message: "put code that uses await into Promise { … }.waitOrExit(), and keep the rest synchronous"
    )
    @discardableResult public func waitOrExit(file: StaticString = #fileID, line: UInt = #line) -> T {
        do { return try wait(file: file, line: line) } catch {
            // If nobody reads standard error any more, the exit code is still 1.
            signal(SIGPIPE, SIG_IGN)
            try? FileHandle.standardError.write(contentsOf: Data("\(error.message)\n".utf8))
            exit(1)
        }
    }
}

extension Error {
    /// What the error says, as one line: to people, if it has such a description.
    var message: String {
        let localized = (self as? any LocalizedError)?.errorDescription
        let foundation = type(of: self) is NSError.Type || self is any CustomNSError ? localizedDescription : nil
        let texts = [localized, foundation, "\(self)", "\(type(of: self))"].compactMap { $0?.onOneLine }
        return texts.first { !$0.isEmpty } ?? ""
    }
}

extension String {
    /// The text on one line, with single spaces between words, and without control characters, which would steer a
    /// terminal.
    var onOneLine: String {
        let safe = unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
        return String(String.UnicodeScalarView(safe)).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
