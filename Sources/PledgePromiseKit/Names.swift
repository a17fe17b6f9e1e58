// PromiseKit's names, as thin aliases, where Pledge's differ.

/// PromiseKit's name for the type that `catch` returns.
@_spi(PromiseKit) public typealias PMKFinalizer = Promise<Void>
/// PromiseKit's name for the type that `catch(only:)` returns.
@_spi(PromiseKit) public typealias PMKCascadingFinalizer = Promise<Void>
/// PromiseKit's name for types with `catch`: here, every `Thenable`.
@_spi(PromiseKit) public typealias CatchMixin = Thenable
/// PromiseKit's name for the argument type of `queue.async(.promise)`.
@_spi(PromiseKit) public typealias PMKNamespacer = PromiseNamespace

/// PromiseKit's name for `wait()`.
@available(*, noasync, message: "await promise.value instead")
@_spi(PromiseKit) public func hang<T>(_ promise: Promise<T>) throws -> T { try promise.wait() }

@_spi(PromiseKit) extension Promise {
    /// Blocks the calling thread until the promise settles, for use in scripts and tests. See `wait()`.
    @available(*, noasync, message: "await promise.value instead")
    public func wait() throws -> T {
        func block<P: Thenable>(on promise: P) throws -> P.T { try promise.wait() }
        do { return try block(on: self) } catch { throw PMKError.from(error) }
    }
}

@_spi(PromiseKit) extension Unfailing {
    /// Blocks the calling thread until the value is available. See `wait()` of a promise.
    @available(*, noasync, message: "await guarantee.value instead")
    public func wait() -> T { guarantee.wait() }
}

@_spi(PromiseKit) extension Thenable {
    /// PromiseKit's name for `value`.
    public func async() async throws -> T {
        do { return try await _promise.value } catch { throw PMKError.from(error) }
    }
}

@_spi(PromiseKit) extension Guarantee {
    /// PromiseKit's name for `value`, which never throws.
    public func async() async -> T { await value }
}

@_spi(PromiseKit) extension Resolver where T == Void {
    /// PromiseKit's name for `fulfill()`.
    public func fulfill_() { fulfill(()) }
}
