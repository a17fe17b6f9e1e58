import Dispatch

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
/// A promise is a handle, as Swift's `Task` is: copies refer to the same promise.
public struct Promise<T: Sendable>: Thenable {
    @usableFromInline package let storage: ValueStorage<T?>

    /// Creates a pending promise, for operators that settle it.
    @inlinable init(unsettled: Void) { storage = ValueStorage(nil) }

    /// Creates a handle for the promise with this storage.
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

// The building blocks of all operators.
extension Promise {
    /// Returns a promise that `run` settles. `run` is called once this promise has settled. All operators are built on
    /// this method.
    ///
    /// Inlined, so that an operator creates one closure, specialized for the caller's types.
    @inlinable @inline(__always) func _chain<U: Sendable>(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?, _ interest: _Interest,
        _ run: @escaping (PromiseStorage) -> Void
    ) -> Promise<U> {
        let next = Promise<U>(unsettled: ())
        next.storage.subscribe(to: storage, on: queue, flags: flags, interest, isNew: true, run)
        return next
    }

    /// Calls `step` with the value, or passes the error on. Does neither if the promise to settle was canceled.
    @inlinable @inline(__always)
    func _pass<U: Sendable>(to target: PromiseStorage, _ step: (ValueStorage<U?>, T) throws -> Void) {
        let next = target.typed(U.self)
        guard next.isPending else { return }
        if let failure = storage.failure { return next.reject(failure) }
        do { try step(next, _value) } catch { next.reject(error) }
    }

    /// Calls `step` with the outcome, unless the promise to settle was canceled.
    @inlinable @inline(__always) func _hand<U: Sendable>(
        to target: PromiseStorage, _ step: (ValueStorage<U?>, Result<T, any Error>) throws -> Void
    ) {
        let next = target.typed(U.self)
        guard next.isPending else { return }
        do { try step(next, _outcome) } catch { next.reject(error) }
    }

    /// The value of a promise known to be fulfilled.
    @inlinable var _value: T { storage.value() }

    /// The outcome of a promise known to have settled.
    @inlinable var _outcome: Result<T, any Error> { storage.failure.map { .failure($0) } ?? .success(_value) }
}

extension ValueStorage {
    /// The value of a promise known to be fulfilled.
    @inlinable @inline(__always) func value<T>() -> T where Value == T? {
        // Unsafe, because a check would slow down every hop. A promise is fulfilled only after its value was set.
        stored.unsafelyUnwrapped
    }

    @inlinable @inline(__always) func settle<T>(as outcome: Result<T, any Error>) where Value == T? {
        switch outcome {
        case .success(let value): fulfill(value)
        case .failure(let error): reject(error)
        }
    }

    /// Settles in the same way as `inner`.
    @inlinable func follow<T: Sendable>(_ inner: Promise<T>) where Value == T? {
        guard inner.storage !== self else { return refuseItself() }
        guard let isFulfilled = inner.storage.isFulfilled(handling: false) else {
            return subscribe(to: inner.storage) { $0.typed(T.self).settle(as: inner._outcome) }
        }
        if isFulfilled { fulfill(inner._value) } else { adoptError(of: inner.storage) }
    }
}

extension PromiseStorage {
    /// Returns this storage with the type of its value, which the caller knows.
    @inlinable @inline(__always) final func typed<T: Sendable>(_ type: T.Type = T.self) -> ValueStorage<T?> {
        // Unsafe, because a checked cast costs as much as a hop. The type is right: a handler's closure is created
        // together with the promise it settles.
        unsafeDowncast(self, to: ValueStorage<T?>.self)
    }

    /// Rejects with the error of a rejected promise, whose error then counts as handled.
    @usableFromInline final func adoptError(of inner: PromiseStorage) {
        guard let error = inner.failure else { return }
        inner.withState { $0.set(.observed) }
        inheritOrigin(from: inner)
        reject(error)
    }

    /// Rejects a promise that would wait for itself.
    @usableFromInline final func refuseItself() {
        if withState({ $0.has(.guarantee) }) {
            // Not a precondition: a release build would stop without the message.
            fatalError("Pledge: a then returned the very guarantee it was making, which could never settle.")
        }
        reject(PromiseError.returnedSelf)
    }
}
