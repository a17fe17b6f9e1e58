/// A value that becomes available later, or the error that occurred instead.
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
/// A promise settles once: the first of fulfill, reject, and cancel wins. Handlers run in the order they were added, on
/// a private serial queue unless another is specified with `on:`, and never inside the call that adds them, except with
/// `on: nil`. An error propagates down the chain to the next `catch` or `recover`. A rejected promise that is released
/// without its error having been observed is reported to the log handler.
///
/// A handle, as Swift's `Task` is: copies are the same promise.
public struct Promise<T: Sendable>: Thenable {
    @usableFromInline package let storage: ValueStorage<T?>

    /// Creates a pending promise, for operators that settle it.
    @inlinable init(unsettled: Void) { storage = ValueStorage(nil) }

    /// The promise whose storage this is.
    @inlinable @inline(__always) init(_ storage: ValueStorage<T?>) { self.storage = storage }

    /// Creates a promise and passes `body`, which runs immediately on the calling thread, the resolver that settles it.
    ///
    /// ```swift
    /// Promise { seal in
    ///     load { data, error in seal.resolve(data, error) }
    /// }
    /// ```
    ///
    /// - Rejects: With the error that `body` throws or the resolver receives, or with
    ///   ``PromiseError/dropped(file:line:)`` if the resolver is released without being used.
    /// - Cancellation: Runs the closures that `body` passed to ``Resolver/onCancel(_:)``.
    @inlinable public init(
        file: StaticString = #fileID, line: UInt = #line, resolver body: (Resolver<T>) throws -> Void
    ) {
        self.init(unsettled: ())
        let resolver = Resolver(self, file: file, line: line)
        do { try body(resolver) } catch { resolver.reject(error) }
    }

    /// Not available: the closure receives one resolver.
    @available(*, unavailable, message: "the closure has one parameter, a resolver: seal.fulfill(…), seal.reject(…)")
    public init(_ body: (_ fulfill: @escaping (T) -> Void, _ reject: @escaping (any Error) -> Void) -> Void) {
        fatalError("unavailable")
    }

    /// Creates a promise rejected with an error.
    public init(error: any Error, file: StaticString = #fileID, line: UInt = #line) {
        self.init(unsettled: ())
        storage.begin(file, line)
        storage.reject(error)
    }

    /// Returns a promise fulfilled with a value.
    ///
    /// A function rather than an initializer, because `Promise(x)` would surprisingly accept a closure or promise, too.
    @inlinable public static func value(_ value: T) -> Promise<T> {
        let promise = Promise(unsettled: ())
        promise.storage.fulfill(value)
        return promise
    }

    /// Returns a pending promise and the resolver that settles it.
    @inlinable public static func pending(
        file: StaticString = #fileID, line: UInt = #line
    ) -> (promise: Promise<T>, resolver: Resolver<T>) {
        let promise = Promise(unsettled: ())
        return (promise, Resolver(promise, file: file, line: line))
    }

    /// The promise itself, as ``Thenable`` requires.
    public subscript(_promise _: Void) -> Promise<T> { self }
}

extension Promise where T == Void {
    /// Creates a fulfilled promise without a value.
    @inlinable public init() {
        self = .value(())
    }

    /// A fulfilled promise without a value.
    public static var value: Promise<Void> { Promise() }
}
