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
            fatalError("Pledge: a then closure returned the guarantee that this then made, which could never settle.")
        }
        reject(PromiseError.returnedSelf)
    }
}

/// A type from which a chain can continue: a ``Promise``, or another type that represents one. All operators are
/// defined on this protocol, so that a closure may return either.
public protocol Thenable<T>: Sendable {
    /// The type of the promised value.
    associatedtype T: Sendable

    /// The promise that this instance represents: a subscript, as code completion would offer a member in a chain.
    subscript(_promise _: Void) -> Promise<T> { get }
}

/// A type that represents a promise that can't fail: ``Guarantee``.
public protocol Unfailing<T>: Thenable {}

extension Guarantee: Unfailing {}

extension Thenable {
    @inlinable package var _promise: Promise<T> { self[_promise: ()] }

    /// The outcome, or nil while the promise is pending. If the outcome is an error, reading it counts as handling the
    /// error: the promise no longer logs it as unhandled.
    public var result: Result<T, any Error>? {
        let promise = _promise
        return promise.storage.isFulfilled() == nil ? nil : promise._outcome
    }

    /// Whether the promise has yet to settle.
    public var isPending: Bool { _promise.storage.isPending }

    /// Whether the promise has settled, with a value or an error.
    public var isResolved: Bool { !isPending }

    /// Whether the promise has a value. Asking has no effect.
    public var isFulfilled: Bool { _promise.storage.isFulfilled(handling: false) == true }

    /// Whether the promise has an error. Asking has no effect: an unhandled error is still reported to the log.
    public var isRejected: Bool { _promise.storage.isFulfilled(handling: false) == false }

    /// The error, or nil if the promise isn't rejected. Reading it hands it over, which counts as handling it.
    public var error: (any Error)? { _promise.storage.isFulfilled() == false ? _promise.storage.failure : nil }

    /// Rejects a pending promise with ``PromiseError/cancelled``, and propagates up the chain as far as nothing else
    /// waits for it, as the article “Cancellation” describes. Has no effect on a settled or canceled promise.
    public func cancel() { _promise.storage.cancel() }

    /// Calls `body` once with the outcome: the primitive on which operators could be built.
    ///
    /// - Parameter body: A closure that runs on the settling thread, or immediately if the promise has settled.
    public func pipe(to body: @escaping @Sendable (Result<T, any Error>) -> Void) {
        let promise = _promise
        promise.storage.observe(.outcomes) { _ in body(promise._outcome) }
    }

    /// The outcome, or nil while the promise is pending. Unlike ``result``, it doesn't count as handling an error.
    package var _seen: Result<T, any Error>? { isPending ? nil : _promise._outcome }

    /// The number of handlers that wait for the promise.
    package var _handlerCount: Int { _promise.storage.withState { $0.waiting } }
}

extension Promise {
    /// Creates a promise that settles in the same way as another ``Thenable``.
    ///
    /// - Cancellation: Propagates to `bridge`.
    public init<U: Thenable>(_ bridge: U) where U.T == T {
        self.init(unsettled: ())
        storage.inheritOrigin(from: bridge._promise.storage)
        storage.follow(bridge._promise)
    }
}

// Where a closure may return any promise, `.value` alone does not say which. Two forms, for what follows.
extension Thenable {
    /// Not available: name the type.
    @available(*, unavailable, message: "write Promise.value(…), or a map that returns the value itself")
    public static func value<V>(_ value: V) -> Promise<Never> where Self == Promise<Never> { fatalError() }

    /// Not available: name the type.
    @available(*, unavailable, message: "write Promise.value(…), or a map that returns the value itself")
    @_disfavoredOverload public static func value<V>(_ value: V) -> Promise<V> where Self == Promise<V> { fatalError() }
}

extension Promise: Hashable {
    /// Returns whether two handles are of the same promise, as for Swift's `Task`.
    public static func == (one: Promise, other: Promise) -> Bool { one.storage === other.storage }

    /// Hashes the promise's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(storage)) }
}

extension Promise: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}
extension Guarantee: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Thenable where Self: CustomReflectable {
    /// The type and state of the promise, without the value, which may be private.
    public var description: String {
        "\(Self.self)(\(_promise.storage.isFulfilled(handling: false).map { $0 ? "fulfilled" : "rejected" } ?? "pending"))"
    }

    /// The type and state of the promise, including its value or error.
    public var debugDescription: String {
        switch _seen {
        case nil: "\(Self.self).pending"
        case .success(let value): "\(Self.self).fulfilled(\(String(reflecting: value)))"
        case .failure(let error): "\(Self.self).rejected(\(String(reflecting: error)))"
        }
    }

    /// A mirror for `dump` that has only the state: the storage is shared between threads and must not be traversed.
    public var customMirror: Mirror {
        Mirror(self, children: ["state": description], ancestorRepresentation: .suppressed)
    }
}

/// The write end of a promise. Only the first call has an effect.
///
/// Safe to use from any thread. If the last reference is released before any call, the promise rejects with
/// ``PromiseError/dropped(file:line:)``, so that nothing waits forever; or as canceled, if it was released because what
/// its user waited for was canceled.
public final class Resolver<T: Sendable>: Sendable {
    @usableFromInline let promise: Promise<T>
    @usableFromInline let file: StaticString
    @usableFromInline let line: UInt32

    @inlinable init(_ promise: Promise<T>, file: StaticString, line: UInt) {
        self.promise = promise
        self.file = file
        self.line = UInt32(clamping: line)
        promise.storage.begin(file, line)
    }

    deinit {
        guard isOpen else { return }
        let (file, line) = ("\(file)", UInt(line))
        // A guarantee is rejected as well, so that nothing waits for it forever.
        if promise.storage.withState({ $0.has(.guarantee) }) {
            PromiseConfiguration.log(.guaranteeDropped(file: file, line: line))
        }
        let isCancelled = PromiseStorage.isPassingCancel
        promise.storage.reject(isCancelled ? PromiseError.cancelled : .dropped(file: file, line: line))
    }

    /// Whether this is the first call. Something else may settle the promise at the same time.
    @usableFromInline var isOpen: Bool { promise.storage.withState { $0.phase == .pending && $0.source == nil } }

    /// Fulfills the promise with a value.
    @inlinable public func fulfill(_ value: T) { if isOpen { promise.storage.fulfill(value) } }

    /// Rejects the promise with an error.
    @inlinable public func reject(_ error: any Error) { if isOpen { promise.storage.reject(error) } }

    /// Settles the promise with a result.
    public func resolve<Failure: Error>(_ result: Result<T, Failure>) { resolve(result.mapError { $0 as any Error }) }

    /// Settles the promise with a result. An overload, as the generic one would box an error anew at each hop.
    public func resolve(_ result: Result<T, any Error>) { if isOpen { promise.storage.settle(as: result) } }

    /// Settles the promise with the arguments of a completion handler. An error takes precedence over a value; if both
    /// are nil, the promise rejects with ``PromiseError/invalidCallingConvention``.
    public func resolve(_ value: T?, _ error: (any Error)?) {
        if let value, error == nil { fulfill(value) } else { reject(error ?? PromiseError.invalidCallingConvention) }
    }

    /// Settles the promise with the arguments of a completion handler that passes the error first.
    public func resolve(_ error: (any Error)?, _ value: T?) { resolve(value, error) }

    /// Settles the promise with the arguments of a completion handler that always passes a value. An error wins.
    public func resolve(_ value: T, _ error: (any Error)?) { resolve(Optional(value), error) }

    /// Settles the promise in the same way as another, whose cancellation it shares: canceling this promise, before or
    /// after this call, cancels the other unless something else waits for it. If the other was canceled, this one is.
    public func follow<U: Thenable<T>>(_ other: U) {
        let (own, other) = (promise.storage, other._promise)
        guard own.withState({ $0.beginWaiting(for: other.storage) }) else {
            return own.isCancelled ? other.storage.cancel(unlessAwaited: true) : ()
        }
        guard other.storage !== own else { return own.refuseItself() }
        own.subscribe(to: other.storage) { own in
            // Canceled rather than rejected, so that its hooks run.
            if let error = other.storage.failure, error.isCancelled { return own.cancel(with: error) }
            own.typed(T.self).settle(as: other._outcome)
        }
    }

    /// Whether the promise was canceled, so that work on it is in vain.
    public var isCancelled: Bool { promise.storage.isCancelled }

    #if compiler(>=6.2)
        /// Sets a closure that stops the underlying work when the promise is canceled.
        ///
        /// It runs once, on the thread that cancels: don't cancel while holding a lock it needs. It runs immediately if
        /// the promise was already canceled, and never after it has settled. It must not retain this resolver unless
        /// something else is sure to settle the promise: the two would keep each other alive.
        public func onCancel(_ stop: sending @escaping () -> Void) { promise.storage.onCancel { _ in stop() } }
    #else
        // Older compilers take a closure in main-actor code for a main-actor one unless it is Sendable.
        public func onCancel(_ stop: @escaping @Sendable () -> Void) { promise.storage.onCancel { _ in stop() } }
    #endif
}

extension Resolver where T == Void {
    /// Fulfills a promise without a value.
    public func fulfill() { fulfill(()) }

    /// Settles the promise with the argument of a completion handler that only reports an error.
    public func resolve(_ error: (any Error)?) { resolve((), error) }
}
