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
        onCancel { task.cancel() }
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
            let handler = _Handler(role: [.values, .rejections, .plumbing])
            let waiting = Locked<CheckedContinuation<T, any Error>?>(nil)
            @Sendable func resume(_ result: Result<T, any Error>) {
                let continuation = waiting.withLock { held in
                    defer { held = nil }
                    return held
                }
                continuation?.resume(with: result)
            }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    waiting.withLock { $0 = continuation }
                    guard !Task.isCancelled else {
                        promise.cancelIfUnused()
                        return resume(.failure(CancellationError()))
                    }
                    promise._register(handler) { _, source in
                        let source = unsafeDowncast(source, to: Promise<T>.self)
                        resume(source.failure.map { .failure($0) } ?? .success(source.fulfilledValue))
                    }
                    // Cancelled while it was being registered: the handler below did not find it.
                    if Task.isCancelled {
                        promise.release(handler, cancelling: true)
                        resume(.failure(CancellationError()))
                    }
                }
            } onCancel: {
                promise.release(handler, cancelling: true)
                resume(.failure(CancellationError()))
            }
        }
    }
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
