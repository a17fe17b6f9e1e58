import Dispatch
import Foundation

extension Thenable {
    /// Blocks the calling thread until the promise settles. Use it in scripts and tests.
    ///
    /// On the main thread, the main queue and the run loop are served meanwhile, so that handlers on the main queue
    /// still run.
    ///
    /// Don't call this method in a handler on the default queue or the main queue. While such a handler waits, its
    /// queue can't run what would settle the promise. So if the promise is pending, the method throws an error instead
    /// of waiting. It doesn't detect every deadlock: a handler may also wait for another thread that calls this method,
    /// as with `DispatchQueue.main.sync`.
    ///
    /// - Throws: The error of the promise, or ``PromiseError/deadlock(file:line:)`` if the promise is pending and a
    ///   handler on the default queue or the main queue calls this method.
    @available(*, noasync, message: "await promise.value instead")
    public func wait(file: StaticString = #fileID, line: UInt = #line) throws -> T {
        let promise = _promise
        if promise.isPending {
            // One of the pending steps of this thread may settle the promise.
            try Trampoline.flushAndPause {
                if promise.isPending, DefaultQueue.shared.isBlocked {
                    throw PromiseError.deadlock(file: "\(file)", line: line)
                }
                _ = promise.storage.block(until: .distantFuture)
            }
        }
        return try promise.observedValue()
    }

    /// Blocks the calling thread until the promise settles or a time limit is exceeded; see ``wait(file:line:)``.
    ///
    /// If the time limit is exceeded, the promise continues. To cancel it as well, call `cancel()`, or use
    /// ``timeout(seconds:timekeeper:)`` instead of this method.
    ///
    /// - Parameter timeout: The time limit, in seconds. A negative time limit is exceeded at once.
    /// - Throws: The error of the promise, or ``PromiseError/timedOut(seconds:)`` if the time limit is exceeded. If
    ///   `timeout` is not a number, the error is ``PromiseError/badInput(_:)``.
    @available(*, noasync, message: "await promise.value instead")
    public func wait(timeout: TimeInterval) throws -> T {
        guard !timeout.isNaN else { throw PromiseError.badInput("The timeout of wait is not a number.") }
        let promise = _promise
        if promise.isPending {
            // The timeout is limited to some decades, because Dispatch's clock can't represent a time that is more than
            // a few hundred years away.
            let deadline = DispatchTime.now() + min(timeout, 1e9)
            let isInTime = Trampoline.flushAndPause { promise.storage.block(until: deadline) }
            guard isInTime else { throw PromiseError.timedOut(seconds: timeout) }
        }
        return try promise.observedValue()
    }
}

extension Promise {
    /// The value of a promise that is known to have settled. Throws its error, which then counts as handled.
    fileprivate func observedValue() throws -> T {
        _ = storage.observeOutcome()
        return try _outcome.get()
    }
}

extension PromiseStorage {
    /// Blocks the calling thread until the promise settles or the deadline passes. Returns whether it has settled.
    fileprivate final func block(until deadline: DispatchTime) -> Bool {
        let settled = DispatchSemaphore(value: 0)
        let isMain = Thread.isMainThread
        let ticket = observe { _ in
            settled.signal()
            // This block wakes the run loop in `serveMain`, which may be asleep.
            if isMain { DispatchQueue.main.async {} }
        }
        guard let ticket else { return true }
        #if DEBUG
            scheduler?.willWait(for: settled, until: deadline)
        #endif
        if isMain ? serveMain(until: settled, deadline) : settled.wait(timeout: deadline) == .success { return true }
        // If the promise is still pending, this wait hasn't observed the outcome, so a later error is still reported.
        // If the promise has settled, and only the signal hasn't arrived yet, this wait returns the outcome.
        return release(ticket) == nil
    }
}

/// Serves the main queue and the run loop of the main thread until the semaphore is signaled or the deadline passes.
/// Returns whether the semaphore was signaled.
func serveMain(until settled: DispatchSemaphore, _ deadline: DispatchTime) -> Bool {
    while settled.wait(timeout: .now()) == .timedOut {
        let now = DispatchTime.now()
        guard now < deadline else { return false }
        let left = min(Double(deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1e9, 3600)
        // `run` returns after each piece of work. If the run loop has nothing to wait for, `run` returns immediately,
        // and the next line waits for a few milliseconds instead.
        let isIdle = !RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: left))
        if isIdle, settled.wait(timeout: .now() + .milliseconds(5)) == .success { break }
    }
    return true
}

extension Thenable {
    /// Waits for the promise, and returns its value. If the promise is rejected, the process ends with exit code 1. Use
    /// this at the end of a script, or for a step that the script can't continue without.
    ///
    /// ```swift
    /// fetch().done { print($0) }.waitOrExit()
    /// ```
    ///
    /// If the promise is rejected or canceled, the error is printed on standard error, as one line. The main queue is
    /// served while the main thread waits. To wait for asynchronous code, create a promise from it: `Promise { …
    /// }.waitOrExit()`.
    @available(
        *, noasync, message: "put code that uses await into Promise { … }.waitOrExit(), and keep the rest synchronous"
    )
    @discardableResult public func waitOrExit(file: StaticString = #fileID, line: UInt = #line) -> T {
        do { return try wait(file: file, line: line) } catch {
            // If nobody reads standard error any more, writing to it sends SIGPIPE. That signal would end the process
            // with another exit code, so it is ignored.
            signal(SIGPIPE, SIG_IGN)
            try? FileHandle.standardError.write(contentsOf: Data("\(error.message)\n".utf8))
            exit(1)
        }
    }
}

extension Error {
    /// The error's description, on one line. If the error has a description for people, it is preferred to a
    /// description for developers.
    var message: String {
        let localized = (self as? any LocalizedError)?.errorDescription
        let foundation = type(of: self) is NSError.Type || self is any CustomNSError ? localizedDescription : nil
        let texts = [localized, foundation, "\(self)", "\(type(of: self))"].compactMap { $0?.onOneLine }
        return texts.first { !$0.isEmpty } ?? ""
    }
}

extension String {
    /// The text on one line, with single spaces between words. Spaces replace the characters that could change what a
    /// terminal shows.
    var onOneLine: String {
        let safe = unicodeScalars.map { $0.steersDisplay ? " " : $0 }
        return String(String.UnicodeScalarView(safe)).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

extension Unicode.Scalar {
    /// Whether the scalar moves, hides, or reverses other text. These are the C0 and C1 controls, the line and
    /// paragraph separators, and the directional embeddings, overrides, and isolates.
    ///
    /// Directional marks aren't included. They affect only their neighbors, and right-to-left text needs them.
    package var steersDisplay: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
