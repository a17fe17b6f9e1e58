// The names PromiseKit 8 uses where ours are others: thin aliases, so that a file written for it changes its import
// and little else.

/// ``PromiseConfiguration/shared``, under PromiseKit's name.
public var conf: PromiseConfiguration {
    get { PromiseConfiguration.shared }
    set { PromiseConfiguration.shared = newValue }
}

extension PromiseConfiguration {
    /// ``queues``, under PromiseKit's name.
    public var Q: Queues {
        get { queues }
        set { queues = newValue }
    }
}

/// PromiseKit's name for ``PromiseConfiguration``.
public typealias PMKConfiguration = PromiseConfiguration
/// PromiseKit's name for ``PromiseError``.
public typealias PMKError = PromiseError
/// PromiseKit's name for ``PromiseEvent``.
public typealias LogEvent = PromiseEvent
/// PromiseKit's name for what `catch` returns.
public typealias PMKFinalizer = Promise<Void>
/// PromiseKit's name for what `catch(only:)` returns.
public typealias PMKCascadingFinalizer = Promise<Void>
/// PromiseKit's name for what can be caught: here, every ``Thenable``.
public typealias CatchMixin = Thenable
/// PromiseKit's name for the word in `queue.async(.promise)`.
public typealias PMKNamespacer = PromiseNamespace

/// PromiseKit's name for ``Thenable/wait()``.
@available(*, noasync, message: "await promise.value instead")
public func hang<T>(_ promise: Promise<T>) throws -> T {
    try promise.wait()
}

extension Thenable {
    /// PromiseKit's name for ``Thenable/value``.
    public func async() async throws -> T {
        try await value
    }
}
