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
/// A promise settles once. If several calls try to fulfill, reject, or cancel it, the first one wins.
///
/// - Handlers run in the order in which they were added. They run on a private serial queue, unless you specify another
///   queue with `on:`.
/// - A handler never runs inside the call that adds it, except with `on: nil`.
/// - An error propagates down the chain to the next `catch` or `recover`.
/// - If a rejected promise is released before anything has observed its error, the error is reported to the log
///   handler.
///
/// A promise is a handle, as Swift's `Task` is. If you copy it, both copies refer to the same promise.
public struct Promise<T: Sendable>: Thenable {
    @usableFromInline package let storage: ValueStorage<T?>

    /// Creates a pending promise for an operator, which settles it later.
    @inlinable init(unsettled: Void) { storage = ValueStorage(nil) }

    /// Creates another handle for the promise with this storage.
    @inlinable @inline(__always) init(_ storage: ValueStorage<T?>) { self.storage = storage }

    /// Creates a promise, and passes the resolver that settles it to `body`. `body` runs immediately, on the calling
    /// thread.
    ///
    /// ```swift
    /// Promise { seal in
    ///     load { data, error in seal.resolve(data, error) }
    /// }
    /// ```
    ///
    /// - Rejects: With the error that `body` throws or that the resolver receives. If the resolver is released without
    ///   being used, the error is ``PromiseError/dropped(file:line:)``.
    /// - Cancellation: Runs the closures that `body` passed to ``Resolver/onCancel(_:)``.
    @inlinable public init(
        file: StaticString = #fileID, line: UInt = #line, resolver body: (Resolver<T>) throws -> Void
    ) {
        self.init(unsettled: ())
        let resolver = Resolver(self, file: file, line: line)
        do { try body(resolver) } catch { resolver.reject(error) }
    }

    /// Not available. Instead of two closures, `body` receives one resolver.
    @available(*, unavailable, message: "the closure has one parameter, a resolver: seal.fulfill(…), seal.reject(…)")
    public init(_ body: (_ fulfill: @escaping (T) -> Void, _ reject: @escaping (any Error) -> Void) -> Void) {
        fatalError("unavailable")
    }

    /// Creates a promise that is already rejected with an error.
    public init(error: any Error, file: StaticString = #fileID, line: UInt = #line) {
        self.init(unsettled: ())
        storage.begin(file, line)
        storage.reject(error)
    }

    /// Returns a promise that is already fulfilled with a value.
    ///
    /// This is a method and not an initializer, because `Promise(x)` would do something else if `x` is a closure or a
    /// promise.
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

    /// The promise itself. ``Thenable`` requires this subscript.
    public subscript(_promise _: Void) -> Promise<T> { self }
}

extension Promise where T == Void {
    /// Creates a promise that has no value and is already fulfilled.
    @inlinable public init() {
        self = .value(())
    }

    /// A promise that has no value and is already fulfilled.
    public static var value: Promise<Void> { Promise() }
}

// The functions on which all operators are built.
extension Promise {
    /// Returns a new promise. Once this promise has settled, `run` is called and settles the new promise. All operators
    /// are built on this method.
    ///
    /// It is inlined, so that an operator creates only one closure, which is specialized for the caller's types.
    @inlinable @inline(__always) func _chain<U: Sendable>(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?, _ options: _HandlerOptions,
        _ run: @escaping (PromiseStorage) -> Void
    ) -> Promise<U> {
        let next = Promise<U>(unsettled: ())
        next.storage.subscribe(to: storage, on: queue, flags: flags, options, isNew: true, run)
        return next
    }

    /// Calls `step` with the value of this promise. If this promise was rejected, rejects `target` with the error
    /// instead. Does neither if `target` was canceled.
    @inlinable @inline(__always)
    func _pass<U: Sendable>(to target: PromiseStorage, _ step: (ValueStorage<U?>, T) throws -> Void) {
        let next = target.typed(U.self)
        guard next.isPending else { return }
        if let failure = storage.failure { return next.reject(failure) }
        do { try step(next, _value) } catch { next.reject(error) }
    }

    /// Calls `step` with the outcome of this promise, unless `target` was canceled.
    @inline(__always) func hand<U: Sendable>(
        to target: PromiseStorage, _ step: (ValueStorage<U?>, Result<T, any Error>) throws -> Void
    ) {
        let next = target.typed(U.self)
        guard next.isPending else { return }
        do { try step(next, _outcome) } catch { next.reject(error) }
    }

    /// The value of a promise that is known to be fulfilled.
    @inlinable var _value: T { storage.value() }

    /// The outcome of a promise that is known to have settled.
    @inlinable var _outcome: Result<T, any Error> { storage.failure.map { .failure($0) } ?? .success(_value) }
}

extension ValueStorage {
    /// The value of a promise that is known to be fulfilled.
    @inlinable @inline(__always) func value<T>() -> T where Value == T? {
        // Unsafe, because a check would slow down every hop of a chain. A promise is fulfilled only after its value was
        // stored.
        stored.unsafelyUnwrapped
    }

    @inlinable @inline(__always) func settle<T>(as outcome: Result<T, any Error>) where Value == T? {
        switch outcome {
        case .success(let value): fulfill(value)
        case .failure(let error): reject(error)
        }
    }

    /// Makes this promise settle in the same way as `inner`, now or later.
    @inlinable func follow<T: Sendable>(_ inner: Promise<T>) where Value == T? {
        guard inner.storage !== self else { return refuseItself() }
        guard let isFulfilled = inner.storage.isFulfilled else {
            return subscribe(to: inner.storage) { $0.typed(T.self).settle(as: inner._outcome) }
        }
        if isFulfilled { fulfill(inner._value) } else { adoptError(of: inner.storage) }
    }
}

extension PromiseStorage {
    /// Returns this storage, typed as the storage of a `T`. The caller must know that the type is right.
    @inlinable @inline(__always) final func typed<T: Sendable>(_ type: T.Type = T.self) -> ValueStorage<T?> {
        // Unsafe, because a checked cast would cost as much as a hop of a chain. The type is right, because the closure
        // of a handler is created together with the promise that the closure settles.
        unsafeDowncast(self, to: ValueStorage<T?>.self)
    }

    /// Rejects this promise with the error of another promise. The other promise's error then counts as handled.
    @usableFromInline final func adoptError(of inner: PromiseStorage) {
        guard let error = inner.failure else { return }
        inner.withState { $0.set(.observed) }
        inheritOrigin(from: inner)
        reject(error)
    }

    /// Rejects a promise that would otherwise wait for itself.
    @usableFromInline final func refuseItself() {
        if withState({ $0.has(.guarantee) }) {
            // Calls `fatalError`, because a failed `precondition` doesn't print its message in a release build.
            fatalError("Pledge: a then closure returned the guarantee that this then made, which could never settle.")
        }
        reject(PromiseError.returnedSelf)
    }
}

extension Promise {
    /// Creates a promise that settles in the same way as another promise, guarantee, or other ``Thenable``.
    ///
    /// - Cancellation: Propagates to `bridge`.
    public init<U: Thenable>(_ bridge: U) where U.T == T {
        self.init(unsettled: ())
        storage.inheritOrigin(from: bridge._promise.storage)
        storage.follow(bridge._promise)
    }
}

extension Promise: Hashable {
    /// Returns whether two handles refer to the same promise. Values aren't compared.
    public static func == (one: Promise, other: Promise) -> Bool { one.storage === other.storage }

    /// Hashes the identity of the promise, not its value.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(storage)) }
}

extension Promise: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}
extension Guarantee: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Thenable where Self: CustomReflectable {
    /// The type and state of the promise. The value is left out, because it may be private.
    public var description: String {
        "\(Self.self)(\(_promise.storage.isFulfilled.map { $0 ? "fulfilled" : "rejected" } ?? "pending"))"
    }

    /// The type and state of the promise, with its value or error.
    public var debugDescription: String {
        switch _peekedResult {
        case nil: "\(Self.self).pending"
        case .success(let value): "\(Self.self).fulfilled(\(String(reflecting: value)))"
        case .failure(let error): "\(Self.self).rejected(\(String(reflecting: error)))"
        }
    }

    /// A mirror for `dump` that contains only the state. It leaves out the storage, which other threads may change
    /// meanwhile.
    public var customMirror: Mirror {
        Mirror(self, children: ["state": description], ancestorRepresentation: .suppressed)
    }
}
