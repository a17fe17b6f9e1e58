/// A value that will be there later, or the error that came instead.
///
/// ```swift
/// firstly {
///     existAPI.attributes(names: ["mood"])
/// }.done { attributes, _ in
///     print(attributes.count)
/// }.catch { error in
///     print(error)
/// }
/// ```
///
/// A promise settles once: the first of fulfil, reject and cancel wins. Handlers run in the order they were added, on a
/// private serial queue unless another is given with `on:`, and never inside the call that adds them unless that says
/// `on: nil`. An error travels down the chain to the next `catch` or `recover`; a rejected promise that goes away without
/// anyone having looked at its error is reported through the log handler.
public final class Promise<T: Sendable>: _Holder<T?>, Thenable, @unchecked Sendable {
    // Unchecked: there is nothing in it that its superclass does not see to.

    /// For operators: a promise that something is going to settle.
    @inlinable init(unsettled: Void) { super.init(nil) }

    @inlinable convenience init(fulfilled value: T) {
        self.init(unsettled: ())
        _fulfill(value)
    }

    /// Makes a promise and hands `body` the means to settle it.
    ///
    /// ```swift
    /// Promise { seal in
    ///     load { data, error in seal.resolve(data, error) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - file: where it is made, for messages.
    ///   - line: the line it is made in, for messages.
    ///   - body: runs at once, in the calling thread. An error it throws rejects the promise.
    /// - Rejects: with what `body` throws or the resolver is given; with ``PromiseError/dropped(file:line:)`` when the
    ///   resolver is let go without having been used.
    /// - Cancellation: runs what `body` gave to ``Resolver/onCancel(_:)``.
    @inlinable public convenience init(
        file: StaticString = #fileID, line: UInt = #line, resolver body: (Resolver<T>) throws -> Void
    ) {
        self.init(unsettled: ())
        let resolver = Resolver(self, file: file, line: line)
        do { try body(resolver) } catch { resolver.reject(error) }
    }

    /// A promise that is rejected from the start.
    public convenience init(error: any Error) {
        self.init(unsettled: ())
        _reject(error)
    }

    /// A promise that is fulfilled from the start.
    ///
    /// A function rather than an initialiser: `Promise(x)` would also take a closure or a promise, and surprise.
    @inlinable public static func value(_ value: T) -> Promise<T> { Promise(fulfilled: value) }

    /// A pending promise, and the resolver to settle it with.
    @inlinable public static func pending(
        file: StaticString = #fileID, line: UInt = #line
    ) -> (promise: Promise<T>, resolver: Resolver<T>) {
        let promise = Promise(unsettled: ())
        return (promise, Resolver(promise, file: file, line: line))
    }

    /// Conformance to ``Thenable``: a promise stands for itself.
    public var _promise: Promise<T> { self }
}

extension Promise where T == Void {
    /// A promise that is fulfilled from the start.
    @inlinable public convenience init() { self.init(fulfilled: ()) }

    /// A promise that is fulfilled from the start.
    public static var value: Promise<Void> { Promise() }
}

/// The part of a promise that holds its value.
///
/// A class of its own, whose type argument is the type of its field: then the way to destroy the field lies in the
/// class's metadata. In `Promise<T>` itself each deinit would ask the runtime for the metadata of `T?`, which costs 7 to
/// 18 % of a hop.
public class _Holder<Value>: _PromiseStorage, @unchecked Sendable {
    // Unchecked: for `stored` goes what the superclass says of `failure`.
    @exclusivity(unchecked) @usableFromInline final var stored: Value

    @inlinable init(_ value: Value) {
        stored = value
        super.init()
    }
}
