extension Promise {
    /// A promise for what asynchronous code returns.
    ///
    /// - Parameter body: runs in a task of its own.
    /// - Rejects: with what `body` throws.
    /// - Cancellation: cancels the task.
    public convenience init(_ body: @escaping @Sendable () async throws -> T) {
        self.init(role: [])
        let task = Task {
            do {
                self._fulfill(try await body())
            } catch {
                self._reject(error)
            }
        }
        onCancel { _ in task.cancel() }
    }
}

extension Thenable {
    /// The value, in asynchronous code: `try await promise.value`.
    ///
    /// - Throws: what the promise rejects with; `CancellationError` if the task is cancelled first.
    /// - Cancellation: cancelling the task cancels the promise, unless somebody else waits for it.
    public var value: T {
        get async throws {
            let promise = _promise
            let waiter = Locked(Waiter<T>())
            let handler = _AnyPromise.handler { _, source in
                let continuation = waiter.withLock { $0.continuation.take() }
                continuation?.resume(with: unsafeDowncast(source, to: Promise<T>.self).outcome)
            }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let isTooLate = waiter.withLock { waiter in
                        if !waiter.isCancelled { waiter.continuation = continuation }
                        return waiter.isCancelled
                    }
                    guard !isTooLate else {
                        promise.cancelIfUnused()
                        return continuation.resume(throwing: CancellationError())
                    }
                    promise._register(handler)
                    let isCancelled = waiter.withLock { waiter in
                        waiter.isRegistered = true
                        return waiter.isCancelled
                    }
                    // Cancelled meanwhile: whoever did that left the handler to us.
                    if isCancelled, promise.release(handler) { promise.cancelIfUnused() }
                }
            } onCancel: {
                let (continuation, isRegistered) = waiter.withLock { waiter in
                    waiter.isCancelled = true
                    return (waiter.continuation.take(), waiter.isRegistered)
                }
                if isRegistered, promise.release(handler) { promise.cancelIfUnused() }
                continuation?.resume(throwing: CancellationError())
            }
        }
    }
}

/// A task that waits for a promise.
private struct Waiter<T: Sendable> {
    var continuation: CheckedContinuation<T, any Error>?
    var isRegistered = false
    var isCancelled = false
}

extension Guarantee {
    /// The value, in asynchronous code: `await guarantee.value`.
    ///
    /// - Cancellation: a guarantee cannot fail, so cancelling the task does not end the wait.
    public var value: T {
        get async {
            await withCheckedContinuation { continuation in
                _promise.pipe { result in
                    if case .success(let value) = result { continuation.resume(returning: value) }
                }
            }
        }
    }
}
