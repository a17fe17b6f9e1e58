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
        return promise._look() == nil ? nil : promise._outcome
    }

    /// True until the promise settles.
    public var isPending: Bool { _promise._isPending }

    /// True once the promise has settled, one way or the other.
    public var isResolved: Bool { !isPending }

    /// True once there is a value.
    public var isFulfilled: Bool { _promise._look(handling: false) == true }

    /// True once there is an error. Looking at it this way counts as having handled it.
    public var isRejected: Bool { _promise._look() == false }

    /// The error, if rejected. Looking at it this way counts as having handled it.
    public var error: (any Error)? { isRejected ? _promise.failure : nil }

    /// Cancels the promise; see ``Promise``.
    public func cancel() { _promise.cancel() }

    /// Calls `body` with the outcome, once: the primitive that operators could be built on.
    ///
    /// - Parameter body: runs in the thread that settles the promise, or at once if that has been.
    public func pipe(to body: @escaping @Sendable (Result<T, any Error>) -> Void) {
        let promise = _promise
        promise.observe { _ in body(promise._outcome) }
    }
}

extension Promise {
    /// A promise that settles as another does: the bridge from any ``Thenable``.
    ///
    /// - Cancellation: passes up to `bridge`.
    public convenience init<U: Thenable>(_ bridge: U) where U.T == T {
        self.init(unsettled: ())
        _follow(bridge._promise)
    }
}

extension Promise: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}
extension Guarantee: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Thenable where Self: CustomReflectable {
    /// The state in a word; never the value, which may be private.
    public var description: String {
        "\(Self.self)(\(_promise._look(handling: false).map { $0 ? "fulfilled" : "rejected" } ?? "pending"))"
    }

    /// The state with its value or error.
    public var debugDescription: String {
        guard !_promise._isPending else { return "\(Self.self).pending" }
        return switch _promise._outcome {
        case .success(let value): "\(Self.self).fulfilled(\(String(reflecting: value)))"
        case .failure(let error): "\(Self.self).rejected(\(String(reflecting: error)))"
        }
    }

    /// For `dump`: what is inside belongs to several threads, and is not to be walked through.
    public var customMirror: Mirror {
        Mirror(self, children: ["state": description], ancestorRepresentation: .suppressed)
    }
}
