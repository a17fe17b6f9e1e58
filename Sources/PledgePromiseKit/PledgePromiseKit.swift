import Pledge
@_exported import PledgePlainImport

// Declarations for files that were written for PromiseKit 8. Such a file compiles if it says `@_spi(PromiseKit) import
// PledgePromiseKit` instead of importing PromiseKit.
//
// Every declaration is marked `@_spi(PromiseKit)`. Without the mark, Swift would show the members of an extension to
// all files of a target, and to all targets that depend on it. With the mark, a file sees these members only if its
// import has the mark, too.
//
// Handlers.swift declares the methods of a chain once more, as thin wrappers around Pledge's methods. They follow
// PromiseKit, and therefore differ from Pledge's methods in three ways:
//
// - They are marked `@preconcurrency`. The closures and values in such files were written before concurrency checking.
//   In the Swift 5 language mode, they compile unchanged, even in a class on the main actor. In the Swift 6 mode, they
//   produce warnings instead of errors. Pledge's own methods aren't marked, because that would hide these errors from
//   everyone, and the errors are the reason to choose the Swift 6 mode.
// - If a handler doesn't specify a queue, it runs on the main queue, or on the queue that `conf.Q` specifies.
// - The errors that promises themselves reject with arrive as `PMKError`.
//
// The compiler prefers these methods to Pledge's, because Pledge's are marked `@_disfavoredOverload`. A call with flags
// still uses Pledge's methods.

// Promise and Guarantee are documented in Pledge, where they are declared.
@_documentation(visibility: internal) @_spi(PromiseKit) public typealias Promise = Pledge.Promise
@_documentation(visibility: internal) @_spi(PromiseKit) public typealias Guarantee = Pledge.Guarantee

/// Begins a chain with the promise that a closure returns, in the same way as Pledge's function of this name.
@_spi(PromiseKit) @_disfavoredOverload public func firstly<V, U: Thenable<V>>(
    execute body: () throws -> U
) -> Promise<V> { Pledge.firstly(execute: body) }

/// Begins a chain with the guarantee that a closure returns. The chain can't fail.
@_spi(PromiseKit) @_disfavoredOverload public func firstly<V>(
    execute body: () -> Guarantee<V>
) -> Guarantee<V> { body() }

// PromiseKit's names for types and functions that have different names in Pledge.

/// PromiseKit's name for the type of the promise that `catch` returns.
@_spi(PromiseKit) public typealias PMKFinalizer = Promise<Void>
/// PromiseKit's name for the type of the promise that `catch(only:)` returns.
@_spi(PromiseKit) public typealias PMKCascadingFinalizer = Promise<Void>
/// PromiseKit's name for the protocol of types that have a `catch`. In Pledge, every `Thenable` has it.
@_spi(PromiseKit) public typealias CatchMixin = Thenable
/// PromiseKit's name for the type of the argument in `queue.async(.promise)`.
@_spi(PromiseKit) public typealias PMKNamespacer = PromiseNamespace

/// Blocks the calling thread until the promise settles. This is PromiseKit's name for `wait()`.
@available(*, noasync, message: "await promise.value instead")
@_spi(PromiseKit) public func hang<T>(
    _ promise: Promise<T>, file: StaticString = #fileID, line: UInt = #line
) throws -> T {
    try promise.wait(file: file, line: line)
}

@_spi(PromiseKit) extension Promise {
    /// Blocks the calling thread until the promise settles, as Pledge's `wait()` does. Use it in scripts and tests.
    @available(*, noasync, message: "await promise.value instead")
    public func wait(file: StaticString = #fileID, line: UInt = #line) throws -> T {
        func block<P: Thenable>(on promise: P) throws -> P.T { try promise.wait(file: file, line: line) }
        do { return try block(on: self) } catch { throw PMKError.from(error) }
    }
}

@_spi(PromiseKit) extension Unfailing {
    /// Blocks the calling thread until the value is available.
    ///
    /// If the wait might never end, the `wait` of a promise throws an error. The `wait` of a guarantee can't throw. It
    /// logs the error instead, and waits, as PromiseKit's `wait` does.
    @available(*, noasync, message: "await guarantee.value instead")
    public func wait(file: StaticString = #fileID, line: UInt = #line) -> T {
        let promise = guarantee._promise
        do { return try promise.wait(file: file, line: line) } catch { PromiseConfiguration.log(.note("\(error)")) }
        _ = try? promise.wait(timeout: .infinity)
        return promise._guaranteed
    }
}

@_spi(PromiseKit) extension Thenable {
    /// Returns the value once it is available, or throws the promise's error. This is PromiseKit's name for `value`.
    public func async() async throws -> T {
        do { return try await _promise.value } catch { throw PMKError.from(error) }
    }
}

@_spi(PromiseKit) extension Guarantee {
    /// Returns the value once it is available. This is PromiseKit's name for `value`.
    public func async() async -> T { await value }
}

@_spi(PromiseKit) extension Resolver where T == Void {
    /// Fulfills a promise without a value. This is PromiseKit's name for `fulfill()`.
    public func fulfill_() { fulfill(()) }
}

// Descriptions of promises as PromiseKit prints them. They contain the value or the error, which Pledge's `description`
// leaves out. If a resolver was released unused, they show its promise as pending. Because a type can conform to a
// protocol only once, `String(describing:)` still uses Pledge's `description`.

@_spi(PromiseKit) extension Promise {
    /// The value or the error of the promise, as PromiseKit prints it.
    public var description: String {
        switch outcome {
        case nil: "Promise(…\(T.self))"
        case .fulfilled(let value): "Promise(\(value))"
        case .rejected(let error): "Promise(\(error))"
        }
    }

    /// The type and state of the promise, together with its value, its error, or the number of its handlers.
    public var debugDescription: String {
        switch outcome {
        case nil: "Promise<\(T.self)>.pending(handlers: \(_handlerCount))"
        case .fulfilled(let value): "Promise<\(T.self)>.fulfilled(\(value))"
        case .rejected(let error): "Promise<\(T.self)>.rejected(\(type(of: error)).\(error))"
        }
    }

    /// The outcome that the promise would have in PromiseKit, where it stays pending if its resolver was released
    /// unused.
    private var outcome: Result<T>? {
        if case .failure(PromiseError.dropped) = _peekedResult { nil } else { _peekedResult.map(Result.init) }
    }
}

@_spi(PromiseKit) extension DefaultStringInterpolation {
    /// Appends a promise in the form in which PromiseKit prints it.
    public mutating func appendInterpolation<T>(_ promise: Promise<T>) { appendLiteral(promise.description) }
}
