extension Promise {
    /// A promise for what asynchronous code returns.
    ///
    /// - Parameter body: runs in a task of its own.
    /// - Rejects: with what `body` throws.
    /// - Cancellation: cancels the task.
    public convenience init(_ body: @escaping @Sendable () async throws -> T) {
        self.init(unsettled: ())
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
            // One of its own, to be cancelled without taking others along.
            let promise = Promise<T>(unsettled: ())
            promise._follow(_promise)
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    promise.observe { continuation.resume(with: $0._as(Promise<T>.self)._outcome) }
                }
            } onCancel: {
                promise.cancel(with: CancellationError())
            }
        }
    }
}

extension Guarantee {
    /// A guarantee of what asynchronous code returns.
    ///
    /// - Parameter body: runs in a task of its own.
    /// - Cancellation: cancels the task, whose value is waited for all the same.
    public init(_ body: @escaping @Sendable () async -> T) {
        let promise = Promise<T>(unsettled: ())
        self.init(_unfailing: promise)
        let task = Task { promise._fulfill(await body()) }
        promise.onCancel { _ in task.cancel() }
    }

    /// The value, in asynchronous code: `await guarantee.value`.
    ///
    /// - Cancellation: a guarantee cannot fail, so cancelling the task does not end the wait.
    /// - Precondition: the guarantee was not given up by letting its `resolve` go unused.
    public var value: T {
        get async {
            await withCheckedContinuation { continuation in
                _promise.observe { continuation.resume(returning: $0._as(Promise<T>.self)._guaranteed) }
            }
        }
    }
}

extension Promise {
    /// The value of a guarantee known to have settled.
    var _guaranteed: T {
        // Not a precondition: a release build would stop without the sentence.
        if let failure { fatalError("Pledge: a guarantee that somebody waits for has no value: \(failure)") }
        return _value
    }
}
