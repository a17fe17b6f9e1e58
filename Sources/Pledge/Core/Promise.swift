import Dispatch

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
/// A promise settles once: the first of fulfil, reject and cancel wins. Handlers never run inside the call that adds
/// them, run in the order they were added, and run on a private serial queue unless another is given with `on:`.
/// An error travels down the chain to the next `catch` or `recover`; a rejected promise that goes away without anyone
/// having looked at its error is reported through the log handler.
public class Promise<T: Sendable>: _Holder<_Slot<T>>, Thenable, @unchecked Sendable {
    // Unchecked: `value` is written once under the lock, before the state says so.

    /// The outcome of a promise known to have settled.
    @inlinable final var outcome: Result<T, any Error> {
        failure.map { .failure($0) } ?? .success(fulfilledValue)
    }

    /// The value of a promise known to be fulfilled.
    @inlinable final var fulfilledValue: T { storedValue.value.unsafelyUnwrapped }

    /// For operators: a promise that its job will settle.
    @inlinable
    init(role: Role = [], job: Job? = nil) {
        super.init(role: role, job: job, storedValue: _Slot(nil))
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
    ///   - body: runs at once, in the calling thread. An error it throws rejects the promise.
    /// - Rejects: with what `body` throws or the resolver is given; with ``PromiseError/dropped(file:line:)`` when the
    ///   resolver is let go without having been used.
    /// - Cancellation: runs what `body` gave to ``Resolver/onCancel(_:)``.
    @inlinable
    public init(file: StaticString = #fileID, line: UInt = #line, resolver body: (Resolver<T>) throws -> Void) {
        super.init(role: [], job: nil, storedValue: _Slot(nil))
        let resolver = Resolver(self, file: file, line: line)
        do {
            try body(resolver)
        } catch {
            resolver.reject(error)
        }
    }

    /// A promise that is rejected from the start.
    public init(error: any Error) {
        super.init(role: [], job: nil, storedValue: _Slot(nil))
        origin = .failure(error)
        state = .rejected
    }

    /// A promise that settles as another does: the bridge from any ``Thenable``.
    ///
    /// - Cancellation: passes up to `bridge`.
    public convenience init<U: Thenable>(_ bridge: U) where U.T == T {
        self.init(role: .values)
        _follow(bridge._promise)
    }

    @inlinable
    init(fulfilled value: T) {
        super.init(role: [], job: nil, storedValue: _Slot(value), isMadeFulfilled: true)
    }

    /// A promise that is fulfilled from the start.
    ///
    /// A function rather than an initialiser: `Promise(x)` would also take a closure or a promise, and surprise.
    @inlinable
    public static func value(_ value: T) -> Promise<T> {
        Promise(fulfilled: value)
    }

    /// A pending promise, and the resolver to settle it with.
    @inlinable
    public static func pending(
        file: StaticString = #fileID, line: UInt = #line
    ) -> (promise: Promise<T>, resolver: Resolver<T>) {
        let promise = Promise<T>(role: [])
        return (promise, Resolver(promise, file: file, line: line))
    }

    /// Fulfils, unless settled.
    @inlinable
    final func _fulfill(_ value: T) {
        lock()
        guard state == .pending else { return unlock() }
        storedValue = _Slot(value)
        _finishFulfilled()
    }

    /// Conformance to ``Thenable``: a promise stands for itself.
    public final var _promise: Promise<T> { self }

    override final var typeName: String { "Promise<\(T.self)>" }
}

extension Promise where T == Void {
    /// A promise that is fulfilled from the start.
    public convenience init() {
        self.init(fulfilled: ())
    }

    /// A promise that is fulfilled from the start.
    public static var value: Promise<Void> { Promise() }
}

extension Promise: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// For `dump`: what is inside belongs to several threads, and is not to be walked through.
    public final var customMirror: Mirror { Mirror(self, children: ["state": description]) }

    /// The state in a word; never the value, which may be private.
    public final var description: String {
        switch peekState() {
        case .pending: "\(typeName)(pending)"
        case .fulfilled: "\(typeName)(fulfilled)"
        case .rejected: "\(typeName)(rejected)"
        }
    }

    /// The state with its value or error.
    public final var debugDescription: String {
        switch peekState() {
        case .pending: "\(typeName).pending"
        case .fulfilled: "\(typeName).fulfilled(\(String(reflecting: fulfilledValue)))"
        case .rejected: "\(typeName).rejected(\(failure.map { String(reflecting: $0) } ?? ""))"
        }
    }
}
