/// What a chain can continue from: a ``Promise``, or another type that stands for one.
///
/// All operators are written on this protocol, so that a closure may return either.
public protocol Thenable<T>: Sendable {
    /// The type of the value to come.
    associatedtype T: Sendable

    /// The promise behind it.
    var _promise: Promise<T> { get }
}

extension Thenable {
    /// The outcome, or nil while there is none. Looking at an error this way counts as having handled it.
    public var result: Result<T, any Error>? {
        let promise = _promise
        switch promise._observedState() {
        case .pending: return nil
        case .fulfilled: return .success(promise.fulfilledValue)
        case .rejected: return promise.failure.map { .failure($0) }
        }
    }

    /// True until the promise settles.
    public var isPending: Bool { _promise.peekState() == .pending }

    /// True once the promise has settled, one way or the other.
    public var isResolved: Bool { !isPending }

    /// True once there is a value.
    public var isFulfilled: Bool { _promise.peekState() == .fulfilled }

    /// True once there is an error.
    public var isRejected: Bool { _promise._observedState() == .rejected }

    /// The error, if rejected.
    public var error: (any Error)? { _promise._observedState() == .rejected ? _promise.failure : nil }

    /// Cancels the promise; see ``Promise``.
    public func cancel() { _promise.cancel() }

    /// Calls `body` with the outcome, once, on the default executor. The primitive that operators could be built on.
    public func pipe(to body: @escaping @Sendable (Result<T, any Error>) -> Void) {
        let handler = _AnyPromise.handler { _, source in
            body(unsafeDowncast(source, to: Promise<T>.self).outcome)
        }
        _promise._register(handler)
    }
}
