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
        try wait { .deadlock(file: "\(file)", line: line) }
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
        // The timeout is limited to some decades, because Dispatch's clock can't represent a time that is more than a
        // few hundred years away.
        return try wait(until: .now() + min(timeout, 1e9)) { .timedOut(seconds: timeout) }
    }

    /// - Parameter failure: The error to throw. With a time limit, it is thrown when the limit is exceeded. Without a
    ///   time limit, it is thrown at once if waiting would be a deadlock.
    private func wait(until deadline: DispatchTime = .distantFuture, _ failure: () -> PromiseError) throws -> T {
        let promise = _promise
        if promise.storage.isFulfilled() == nil {
            // `pause` first runs the steps that are pending on this thread, because one of them may settle the promise.
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
            // This block wakes the run loop in `serveMain`, which may be asleep.
            if isMain { DispatchQueue.main.async {} }
        }
        guard let ticket else { return }
        #if DEBUG
            scheduler?.willWait(for: settled, until: deadline)
        #endif
        let isInTime = isMain ? serveMain(until: settled, deadline) : settled.wait(timeout: deadline) == .success
        // If the promise is still pending, this wait hasn't observed the outcome, so a later error is still reported.
        // If the promise has settled, and only the signal hasn't arrived yet, this wait returns the outcome.
        if !isInTime, promise.storage.release(ticket) != nil { throw failure() }
    }

    func serveMain(until settled: DispatchSemaphore, _ deadline: DispatchTime) -> Bool {
        while settled.wait(timeout: .now()) == .timedOut {
            let now = DispatchTime.now()
            guard now < deadline else { return false }
            let left = min(Double(deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1e9, 3600)
            // `run` returns after each piece of work. If the run loop has nothing to wait for, `run` returns
            // immediately, and the next line waits for a few milliseconds instead.
            let isIdle = !RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: left))
            if isIdle, settled.wait(timeout: .now() + .milliseconds(5)) == .success { break }
        }
        return true
    }
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
    /// The text on one line, with single spaces between words. Spaces replace control characters, because these could
    /// change what a terminal shows.
    var onOneLine: String {
        let safe = unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
        return String(String.UnicodeScalarView(safe)).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
