import Pledge
@_exported import PledgePlainImport

// Declarations for files written for PromiseKit 8: with `@_spi(PromiseKit) import PledgePromiseKit` in place of
// PromiseKit's, they compile. Every declaration is marked `@_spi(PromiseKit)`, because Swift shows the members that an
// extension adds to all files of a target, and to all that depend on it: so marked, only to files that say so.
//
// The folder Handlers declares the chain methods again, as thin wrappers around Pledge's, because three things follow
// PromiseKit here and only here:
//
// - `@preconcurrency`. The closures and values of such files predate concurrency checking. In the Swift 5 language mode
//   they compile unchanged, even in a class of the main actor; in the Swift 6 mode what would be an error is a warning.
//   On Pledge's own methods, the attribute would hide these errors from everyone, and they are the reason to choose the
//   Swift 6 mode.
// - A handler without a queue runs on the main queue, or on the queue of `conf.Q`.
// - Errors that promises themselves reject with arrive as `PMKError`.
//
// They are preferred over Pledge's, which are disfavored; a call with flags uses Pledge's methods.

// Documented where they are declared.
@_documentation(visibility: internal) @_spi(PromiseKit) public typealias Promise = Pledge.Promise
@_documentation(visibility: internal) @_spi(PromiseKit) public typealias Guarantee = Pledge.Guarantee

/// Begins a chain with the promise that a closure returns; see Pledge's function of that name.
@_spi(PromiseKit) @_disfavoredOverload public func firstly<V, U: Thenable<V>>(
    execute body: () throws -> U
) -> Promise<V> { Pledge.firstly(execute: body) }

/// Begins a chain that can't fail with the guarantee that a closure returns.
@_spi(PromiseKit) @_disfavoredOverload public func firstly<V>(
    execute body: () -> Guarantee<V>
) -> Guarantee<V> { body() }

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

// Promises as PromiseKit describes them: with the value or the error, which Pledge's `description` leaves out, and as
// pending if the resolver was released unused. A type conforms only once, so `String(describing:)` still uses Pledge's.

@_spi(PromiseKit) extension Promise {
    /// The value or the error of the promise, as PromiseKit prints it.
    public var description: String {
        switch outcome {
        case nil: "Promise(…\(T.self))"
        case .fulfilled(let value): "Promise(\(value))"
        case .rejected(let error): "Promise(\(error))"
        }
    }

    /// The type and state of the promise, with its value, its error, or the number of its handlers.
    public var debugDescription: String {
        switch outcome {
        case nil: "Promise<\(T.self)>.pending(handlers: \(_handlerCount))"
        case .fulfilled(let value): "Promise<\(T.self)>.fulfilled(\(value))"
        case .rejected(let error): "Promise<\(T.self)>.rejected(\(type(of: error)).\(error))"
        }
    }

    /// The outcome that PromiseKit would have: nil if the resolver was released unused.
    private var outcome: Result<T>? {
        if case .failure(PromiseError.dropped) = _seen { nil } else { _seen.map(Result.init) }
    }
}

@_spi(PromiseKit) extension DefaultStringInterpolation {
    /// Appends a promise as PromiseKit prints it.
    public mutating func appendInterpolation<T>(_ promise: Promise<T>) { appendLiteral(promise.description) }
}
