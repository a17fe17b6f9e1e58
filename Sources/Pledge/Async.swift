import Dispatch

extension Promise {
    /// Creates a promise for the result of an asynchronous closure, which runs in a task of its own.
    ///
    /// - Cancellation: Canceling the promise cancels the task.
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
    /// - Throws: The error of the promise, or `CancellationError` if the task is canceled before the promise settles.
    /// - Cancellation: Canceling the task cancels the promise, unless something else waits for the promise.
    public var value: T {
        // This getter is inlined, so that the compiler knows the type of the value. Otherwise, this getter would spend
        // most of its time looking up the type at run time.
        @inlinable get async throws {
            let promise = _promise
            if let failure = await promise.storage.awaited() { throw failure }
            return promise._value
        }
    }
}

extension PromiseStorage {
    /// Waits for the promise. Returns its error, or nil if it is fulfilled.
    ///
    /// Each caller waits through a separate promise, so that canceling the caller's task cancels only that promise. The
    /// promise that all callers wait for is canceled only if nothing else waits for it.
    @usableFromInline final func awaited(asGuarantee isGuarantee: Bool = false) async -> (any Error)? {
        guard observeOutcome() == nil else { return failure }
        let own = PromiseStorage()
        if isGuarantee { own.state.set(.guarantee) }
        own.subscribe(to: self, isNew: true) { own in own.settle { own.failure = self.failure } }
        await withTaskCancellationHandler {
            // An unchecked continuation saves an allocation. It is resumed exactly once, because a promise settles
            // exactly once.
            await withUnsafeContinuation { continuation in
                own.observe { _ in continuation.resume() }
            }
        } onCancel: {
            own.cancel(with: CancellationError())
        }
        // This call takes the lock, so this thread sees the error that another thread has written. The continuation
        // alone might not guarantee that.
        _ = own.observeOutcome()
        return own.failure
    }
}

extension Guarantee {
    /// Creates a guarantee for the result of an asynchronous closure, which runs in a task of its own.
    ///
    /// - Cancellation: Canceling the guarantee cancels the task. The guarantee still waits for the closure's result.
    public init(_ body: @escaping @Sendable () async -> T) {
        let promise = Promise<T>(unsettled: ())
        self.init(_unfailing: promise)
        let task = Task { promise.storage.fulfill(await body()) }
        promise.storage.onCancel { _ in task.cancel() }
    }

    /// The value, for use in asynchronous code: `await guarantee.value`.
    ///
    /// - Cancellation: Canceling the task cancels the guarantee, unless something else waits for the guarantee. The
    ///   task still waits for the value. A canceled guarantee may get its value earlier.
    /// - Precondition: The guarantee gets a value. If its `resolve` closure is released without being called, the
    ///   program stops.
    public var value: T {
        @inlinable get async {
            _ = await promise.storage.awaited(asGuarantee: true)
            return promise._guaranteed
        }
    }
}

extension Promise {
    /// The value of a guarantee that is known to have settled.
    @inlinable package var _guaranteed: T {
        // Calls `fatalError`, because a failed `precondition` doesn't print its message in a release build.
        if let failure = storage.failure {
            fatalError("Pledge: a guarantee that is awaited has failed, and has no value: \(failure)")
        }
        return _value
    }
}

/// The type of `.promise` in `queue.async(.promise) { … }`. With this argument, the compiler chooses the `async` that
/// returns a promise, and not Dispatch's own `async`.
public enum PromiseNamespace: Sendable {
    /// Makes `async` return a promise for the result of its closure.
    case promise
}

extension DispatchQueue {
    /// Runs a closure on this queue, as Dispatch's method of this name does, and returns a promise for the closure's
    /// result.
    ///
    /// - Cancellation: If the promise is canceled before `body` begins, `body` doesn't run.
    @_disfavoredOverload public final func async<T: Sendable>(
        _ namespace: PromiseNamespace, group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [], execute body: @escaping @Sendable () throws -> T
    ) -> Promise<T> {
        let promise = Promise<T>(unsettled: ())
        async(group: group, qos: qos, flags: flags) {
            guard promise.storage.isPending else { return }
            DefaultQueue.runBlock {
                do { promise.storage.fulfill(try body()) } catch { promise.storage.reject(error) }
            }
        }
        return promise
    }

    /// Runs a closure on this queue, and returns a guarantee for the closure's result. The closure can't throw.
    ///
    /// - Cancellation: Canceling the guarantee has no effect: `body` still runs, because there is no value without it.
    public final func async<T: Sendable>(
        _ namespace: PromiseNamespace, group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [], execute body: @escaping @Sendable () -> T
    ) -> Guarantee<T> {
        let promise = Promise<T>(unsettled: ())
        let guarantee = Guarantee(_unfailing: promise)
        async(group: group, qos: qos, flags: flags) { DefaultQueue.runBlock { promise.storage.fulfill(body()) } }
        return guarantee
    }
}
