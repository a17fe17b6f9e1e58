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
@_spi(PromiseKit) public func hang<T>(
    _ promise: Promise<T>, file: StaticString = #fileID, line: UInt = #line
) throws -> T {
    try promise.wait(file: file, line: line)
}

@_spi(PromiseKit) extension Promise {
    /// Blocks the calling thread until the promise settles, for use in scripts and tests. See `wait()`.
    @available(*, noasync, message: "await promise.value instead")
    public func wait(file: StaticString = #fileID, line: UInt = #line) throws -> T {
        func block<P: Thenable>(on promise: P) throws -> P.T { try promise.wait(file: file, line: line) }
        do { return try block(on: self) } catch { throw PMKError.from(error) }
    }
}

@_spi(PromiseKit) extension Unfailing {
    /// Blocks the calling thread until the value is available. Where a promise's `wait` throws, because the wait might
    /// never end, this one says so in the log, and waits, as PromiseKit's does.
    @available(*, noasync, message: "await guarantee.value instead")
    public func wait(file: StaticString = #fileID, line: UInt = #line) -> T {
        let promise = guarantee._promise
        do { return try promise.wait(file: file, line: line) } catch { PromiseConfiguration.log(.note("\(error)")) }
        _ = try? promise.wait(timeout: .infinity)
        return promise._guaranteed
    }
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
