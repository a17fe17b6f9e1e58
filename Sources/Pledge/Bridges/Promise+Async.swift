extension Promise {
    /// Creates a promise for the result of asynchronous code.
    ///
    /// - Parameter body: An asynchronous closure, which runs in a task of its own.
    /// - Rejects: With any error that `body` throws.
    /// - Cancellation: Cancels the task.
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
    /// The value, for use in asynchronous code: `try await promise.value`.
    ///
    /// - Throws: The error of the promise, or `CancellationError` if the task is canceled first.
    /// - Cancellation: Canceling the task cancels the promise, unless something else waits for it.
    public var value: T {
        get async throws {
            // A promise of its own, which can be canceled without affecting others that wait.
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
    /// Creates a guarantee for the result of asynchronous code.
    ///
    /// - Parameter body: An asynchronous closure, which runs in a task of its own.
    /// - Cancellation: Cancels the task. The guarantee still waits for its value.
    public init(_ body: @escaping @Sendable () async -> T) {
        let promise = Promise<T>(unsettled: ())
        self.init(_unfailing: promise)
        let task = Task { promise._fulfill(await body()) }
        promise.onCancel { _ in task.cancel() }
    }

    /// The value, for use in asynchronous code: `await guarantee.value`.
    ///
    /// - Cancellation: Canceling the task doesn't end the wait, because a guarantee can't fail.
    /// - Precondition: The guarantee's `resolve` closure wasn't released unused.
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
        // Not a precondition: a release build would stop without the message.
        if let failure { fatalError("Pledge: a guarantee that somebody waits for has no value: \(failure)") }
        return _value
    }
}
