import Dispatch

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
    public var value: T {
        // Inlined, as in a guarantee: looking up types at run time took most of the time.
        @inlinable get async throws {
            let promise = _promise
            if let failure = await promise.storage.awaited() { throw failure }
            return promise._value
        }
    }
}

extension PromiseStorage {
    /// Waits for the promise, and returns its error. Each caller waits through a promise of its own, so that canceling
    /// the task cancels only that promise.
    @usableFromInline final func awaited(asGuarantee isGuarantee: Bool = false) async -> (any Error)? {
        guard isFulfilled() == nil else { return failure }
        let own = PromiseStorage()
        if isGuarantee { own.state.set(.guarantee) }
        own.subscribe(to: self, isNew: true) { own in own.settle { own.failure = self.failure } }
        await withTaskCancellationHandler {
            // An unchecked continuation saves an allocation. It is resumed exactly once, because a promise settles
            // once.
            await withUnsafeContinuation { continuation in
                own.observe { _ in continuation.resume() }
            }
        } onCancel: {
            own.cancel(with: CancellationError())
        }
        // Taking the lock makes the settling thread's writes visible here, without relying on the continuation.
        _ = own.isFulfilled()
        return own.failure
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
        @inlinable get async {
            _ = await promise.storage.awaited(asGuarantee: true)
            return promise._guaranteed
        }
    }
}

extension Promise {
    /// The value of a guarantee known to have settled.
    @inlinable package var _guaranteed: T {
        // Not a precondition: a release build would stop without the message.
        if let failure = storage.failure {
            fatalError("Pledge: a guarantee that is awaited has failed, and has no value: \(failure)")
        }
        return _value
    }
}

/// The namespace of the calls written as `queue.async(.promise)`.
public enum PromiseNamespace: Sendable {
    /// The call returns a promise for the result of its closure.
    case promise
}

extension DispatchQueue {
    /// Runs a closure on this queue, as Dispatch's method does, and returns a promise for its result.
    ///
    /// - Cancellation: Prevents `body` from running if it hasn't begun yet.
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

    /// Runs a closure that can't fail on this queue; see the overload for closures that can.
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
