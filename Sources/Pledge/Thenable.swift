import Dispatch

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
