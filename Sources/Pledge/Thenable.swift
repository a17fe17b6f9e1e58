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
