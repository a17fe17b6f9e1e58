import Dispatch

/// A value that will be there later, and cannot fail to come.
///
/// A thin face on a ``Promise`` that never rejects: chains on it need no `catch` until a closure throws or returns a
/// promise. Cancelling a guarantee asks its source to hurry: the one of ``after(seconds:timekeeper:)`` is fulfilled at
/// once. The bodies of a cancelled `done` and `get` do not run; those of `map` and `then` do, because without them there
/// would be no value. Where that must not be, begin the chain with a promise.
public struct Guarantee<T: Sendable>: Thenable {
    /// The promise behind it, which never rejects.
    public let _promise: Promise<T>

    /// Wraps a promise that nothing can reject.
    @usableFromInline
    init(_unfailing promise: Promise<T>) {
        promise.neverRejects = true
        _promise = promise
    }

    /// Makes a guarantee and hands `body` the means to fulfil it.
    ///
    /// - Parameter body: runs at once, in the calling thread. Letting `resolve` go unused is reported to the log
    ///   handler: the guarantee can then never settle.
    public init(
        file: StaticString = #fileID, line: UInt = #line, resolver body: (@escaping @Sendable (T) -> Void) -> Void
    ) {
        let (guarantee, resolve) = Guarantee.pending(file: file, line: line)
        self = guarantee
        body(resolve)
    }

    /// A guarantee that is fulfilled from the start.
    public static func value(_ value: T) -> Guarantee<T> {
        Guarantee(_unfailing: Promise(fulfilled: value))
    }

    /// A pending guarantee, and the closure that fulfils it.
    public static func pending(
        file: StaticString = #fileID, line: UInt = #line
    ) -> (guarantee: Guarantee<T>, resolve: @Sendable (T) -> Void) {
        let promise = Promise<T>(role: [])
        let guarantee = Guarantee(_unfailing: promise)
        let resolver = Resolver(promise, file: file, line: line)
        return (guarantee, { resolver.fulfill($0) })
    }
}

extension Guarantee where T == Void {
    /// A guarantee that is fulfilled from the start.
    public init() {
        self.init(_unfailing: Promise(fulfilled: ()))
    }

    /// A guarantee that is fulfilled from the start.
    public static var value: Guarantee<Void> { Guarantee() }
}

// The operators that cannot fail when their closure cannot.
extension Guarantee {
    /// Turns the value into another.
    ///
    /// - Parameters:
    ///   - on: the queue `transform` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - transform: returns the new value.
    @inlinable
    public func map<U: Sendable>(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T) -> U
    ) -> Guarantee<U> {
        chain(on: queue, flags: flags, role: .values) { next, value in next._fulfill(transform(value)) }
    }

    /// Continues with another guarantee, made from the value.
    ///
    /// - Parameters:
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - body: returns the guarantee to go on with.
    @inlinable
    public func then<U: Sendable>(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) -> Guarantee<U>
    ) -> Guarantee<U> {
        chain(on: queue, flags: flags, role: .values) { next, value in next._follow(body(value)._promise) }
    }

    /// Uses the value.
    ///
    /// - Parameters:
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - body: gets the value.
    @inlinable
    @discardableResult
    public func done(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) -> Void
    ) -> Guarantee<Void> {
        chain(on: queue, flags: flags, role: [.values, .returns]) { next, value in
            if !next.isCancelled { body(value) }
            next._fulfill(())
        }
    }

    /// Looks at the value as it passes by.
    ///
    /// - Parameters:
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - body: gets the value.
    @inlinable
    public func get(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) -> Void
    ) -> Guarantee<T> {
        chain(on: queue, flags: flags, role: .values) { next, value in
            if !next.isCancelled { body(value) }
            next._fulfill(value)
        }
    }

    /// The same guarantee without its value.
    @inlinable
    public func asVoid() -> Guarantee<Void> {
        map { _ in }
    }

    @inlinable
    func chain<U: Sendable>(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?, role: _AnyPromise.Role,
        _ step: @escaping @Sendable (Promise<U>, T) -> Void
    ) -> Guarantee<U> {
        let next = Promise<U>(role: role) { handler, source in
            step(
                unsafeDowncast(handler, to: Promise<U>.self),
                unsafeDowncast(source, to: Promise<T>.self).fulfilledValue)
        }
        let guarantee = Guarantee<U>(_unfailing: next)
        _promise._register(next, on: queue, flags: flags)
        return guarantee
    }
}

extension Guarantee: CustomStringConvertible, CustomDebugStringConvertible {
    /// The state in a word; never the value, which may be private.
    public var description: String {
        "Guarantee<\(T.self)>(\(_promise.peekState() == .pending ? "pending" : "fulfilled"))"
    }

    /// The state with its value.
    public var debugDescription: String {
        guard _promise.peekState() != .pending else { return "Guarantee<\(T.self)>.pending" }
        return "Guarantee<\(T.self)>.fulfilled(\(String(reflecting: _promise.fulfilledValue)))"
    }
}
