extension Promise {
    /// Creates a promise for the result of an asynchronous closure, in a task that canceling the promise cancels.
    public init(
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () async throws -> T
    ) {
        let promise = Promise(unsettled: ())
        promise.storage.begin(file, line)
        self = promise
        let task = Task {
            do { promise.storage.fulfill(try await body()) } catch { promise.storage.reject(error) }
        }
        storage.onCancel { _ in task.cancel() }
    }
}

extension Thenable {
    /// The value, for use in asynchronous code: `try await promise.value`.
    ///
    /// - Throws: The error of the promise, or `CancellationError` if the task is canceled first.
    /// - Cancellation: Canceling the task cancels the promise, unless something else waits for it.
    public var value: T { get async throws { try await Promise(self).awaited().get() } }
}

extension Promise {
    /// The outcome of a promise of the caller's own: canceling the task cancels it, and affects no one else.
    func awaited() async -> Result<T, any Error> {
        // A result, because a continuation that throws would put the error into a box of its own at each hop.
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                storage.observe { _ in continuation.resume(returning: _outcome) }
            }
        } onCancel: {
            storage.cancel(with: CancellationError())
        }
    }
}

extension Guarantee {
    /// Creates a guarantee for the result of an asynchronous closure, which runs in a task of its own. Canceling the
    /// guarantee cancels the task, but still waits for its value.
    public init(_ body: @escaping @Sendable () async -> T) {
        let promise = Promise<T>(unsettled: ())
        self.init(_unfailing: promise)
        let task = Task { promise.storage.fulfill(await body()) }
        promise.storage.onCancel { _ in task.cancel() }
    }

    /// The value, for use in asynchronous code: `await guarantee.value`.
    ///
    /// - Cancellation: Canceling the task cancels the guarantee, unless something else waits for it: the wait ends as
    ///   soon as there can be a value.
    /// - Precondition: The guarantee's `resolve` closure wasn't released unused.
    public var value: T {
        get async {
            let guarantee = Guarantee(_unfailing: Promise(self))
            _ = await guarantee._promise.awaited()
            return guarantee._promise._guaranteed
        }
    }
}

extension Promise {
    /// The value of a guarantee known to have settled.
    package var _guaranteed: T {
        // Not a precondition: a release build would stop without the message.
        if let failure = storage.failure {
            fatalError("Pledge: a guarantee that somebody waits for has no value: \(failure)")
        }
        return _value
    }
}
