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

/// A type from which a chain can continue: ``Promise``, ``Guarantee``, or another type that represents a promise. All
/// operators are defined on this protocol, and their closures may return any such type.
public protocol Thenable<T>: Sendable {
    /// The type of the promised value.
    associatedtype T: Sendable

    /// The promise that this instance represents. It is a subscript, because code completion would offer a property in
    /// every chain.
    subscript(_promise _: Void) -> Promise<T> { get }
}

extension Thenable {
    @inlinable package var _promise: Promise<T> { self[_promise: ()] }

    /// The outcome, or nil while the promise is pending. If the outcome is an error, reading it counts as handling the
    /// error, so the error is no longer logged as unhandled.
    public var result: Result<T, any Error>? {
        let promise = _promise
        return promise.storage.observeOutcome() == nil ? nil : promise._outcome
    }

    /// Whether the promise hasn't settled yet.
    public var isPending: Bool { _promise.storage.isPending }

    /// Whether the promise has settled, with a value or an error.
    public var isResolved: Bool { !isPending }

    /// Whether the promise is fulfilled. Reading this property has no effect on the promise.
    public var isFulfilled: Bool { _promise.storage.isFulfilled == true }

    /// Whether the promise is rejected. Reading this property doesn't handle the error, so an unhandled error is still
    /// logged.
    public var isRejected: Bool { _promise.storage.isFulfilled == false }

    /// The error, or nil if the promise isn't rejected. Reading the error counts as handling it.
    public var error: (any Error)? { _promise.storage.observeOutcome() == false ? _promise.storage.failure : nil }

    /// Cancels the promise: if it is pending, it rejects with ``PromiseError/cancelled``. The promises that it waits
    /// for are canceled, too, unless something else waits for them. The article “Cancellation” describes the details.
    ///
    /// Has no effect on a promise that has settled or was already canceled.
    public func cancel() { _promise.storage.cancel() }

    /// Calls `body` once with the outcome. You can build your own operators on this method.
    ///
    /// - Parameter body: A closure that runs on the thread that settles the promise, or immediately if the promise has
    ///   already settled.
    public func pipe(to body: @escaping @Sendable (Result<T, any Error>) -> Void) {
        let promise = _promise
        promise.storage.observe(.outcomes) { _ in body(promise._outcome) }
    }

    /// The outcome, or nil while the promise is pending. Unlike reading ``result``, reading this property doesn't
    /// handle an error.
    package var _peekedResult: Result<T, any Error>? { isPending ? nil : _promise._outcome }

    /// The number of handlers that wait for the promise.
    package var _handlerCount: Int { _promise.storage.withState { $0.waiting } }
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

// If a closure may return any type of promise, a bare `.value(…)` doesn't say which type it means. These two
// declarations make the compiler report that. Two are needed, because the compiler chooses one or the other depending
// on the rest of the chain.
extension Thenable {
    /// Not available here. Write the type: `Promise.value(…)`.
    @available(*, unavailable, message: "write Promise.value(…), or a map that returns the value itself")
    public static func value<V>(_ value: V) -> Promise<Never> where Self == Promise<Never> { fatalError() }

    /// Not available here. Write the type: `Promise.value(…)`.
    @available(*, unavailable, message: "write Promise.value(…), or a map that returns the value itself")
    @_disfavoredOverload public static func value<V>(_ value: V) -> Promise<V> where Self == Promise<V> { fatalError() }
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

/// The write end of a promise, with which you fulfill or reject the promise. Only the first call has an effect. You can
/// use a resolver from any thread.
///
/// If the last reference to a resolver is released before the resolver was used, its promise rejects, so that nothing
/// waits forever:
///
/// - Normally, the promise rejects with ``PromiseError/dropped(file:line:)``.
/// - If the resolver is released because the work that it waited for was canceled, the promise rejects with
///   ``PromiseError/cancelled``.
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
        // If the promise belongs to a guarantee, this is logged. The promise is still rejected below, so that nothing
        // waits for it forever.
        if promise.storage.withState({ $0.has(.guarantee) }) {
            PromiseConfiguration.log(.guaranteeDropped(file: file, line: line))
        }
        let isCancelled = PromiseStorage.isPassingCancel
        promise.storage.reject(isCancelled ? PromiseError.cancelled : .dropped(file: file, line: line))
    }

    /// Whether a call of this resolver can still take effect: the promise is pending and doesn't follow another
    /// promise. Another thread may settle the promise at any time after this check.
    @usableFromInline var isOpen: Bool { promise.storage.withState { $0.phase == .pending && $0.source == nil } }

    /// Fulfills the promise with a value.
    @inlinable public func fulfill(_ value: T) { if isOpen { promise.storage.fulfill(value) } }

    /// Rejects the promise with an error.
    @inlinable public func reject(_ error: any Error) { if isOpen { promise.storage.reject(error) } }

    /// Settles the promise in the same way as a result: fulfills it with the value, or rejects it with the error.
    public func resolve<Failure: Error>(_ result: Result<T, Failure>) { resolve(result.mapError { $0 as any Error }) }

    /// Settles the promise in the same way as a result whose error may be of any type.
    ///
    /// The generic method would accept such a result, too, but it would wrap the error in a new box each time.
    public func resolve(_ result: Result<T, any Error>) { if isOpen { promise.storage.settle(as: result) } }

    /// Settles the promise with the arguments of a completion handler. If there is an error, the promise rejects, even
    /// if there is a value, too. If both are nil, it rejects with ``PromiseError/invalidCallingConvention``.
    public func resolve(_ value: T?, _ error: (any Error)?) {
        if let value, error == nil { fulfill(value) } else { reject(error ?? PromiseError.invalidCallingConvention) }
    }

    /// Settles the promise with the arguments of a completion handler whose first argument is the error. If there is an
    /// error, the promise rejects, even if there is a value, too.
    public func resolve(_ error: (any Error)?, _ value: T?) { resolve(value, error) }

    /// Settles the promise with the arguments of a completion handler that always passes a value. If there is an error,
    /// the promise rejects.
    public func resolve(_ value: T, _ error: (any Error)?) { resolve(Optional(value), error) }

    /// Makes the resolver's promise settle in the same way as another promise. Cancellation works in both directions:
    ///
    /// - If the resolver's promise is canceled, before or after this call, the other promise is canceled, too, unless
    ///   something else waits for it.
    /// - If the other promise is canceled, the resolver's promise is canceled, too.
    public func follow<U: Thenable<T>>(_ other: U) {
        let (own, other) = (promise.storage, other._promise)
        guard own.withState({ $0.beginWaiting(for: other.storage) }) else {
            return own.isCancelled ? other.storage.cancel(unlessAwaited: true) : ()
        }
        guard other.storage !== own else { return own.refuseItself() }
        own.subscribe(to: other.storage) { own in
            // Cancels the promise instead of rejecting it, so that its cancel hooks run.
            if let error = other.storage.failure, error.isCancelled { return own.cancel(with: error) }
            own.typed(T.self).settle(as: other._outcome)
        }
    }

    /// Whether the promise was canceled. If so, you can stop the work for it, because nobody needs the value any more.
    public var isCancelled: Bool { promise.storage.isCancelled }

    #if compiler(>=6.2)
        /// Sets a closure that stops the underlying work if the promise is canceled.
        ///
        /// The closure runs on the thread that cancels, so don't cancel while you hold a lock that the closure needs.
        /// If the promise was already canceled, the closure runs immediately. It runs only once, and never after the
        /// promise has settled in another way.
        ///
        /// The closure must not retain this resolver, unless something else is sure to settle the promise. Otherwise
        /// the closure and the resolver keep each other alive.
        public func onCancel(_ stop: sending @escaping () -> Void) { promise.storage.onCancel { _ in stop() } }
    #else
        // Compilers before 6.2 treat a closure in main-actor code as isolated to the main actor, unless its type is
        // `@Sendable`.
        public func onCancel(_ stop: @escaping @Sendable () -> Void) { promise.storage.onCancel { _ in stop() } }
    #endif
}

extension Resolver where T == Void {
    /// Fulfills a promise without a value.
    public func fulfill() { fulfill(()) }

    /// Settles the promise with the argument of a completion handler that has no value: rejects it if there is an
    /// error, and otherwise fulfills it.
    public func resolve(_ error: (any Error)?) { resolve((), error) }
}
