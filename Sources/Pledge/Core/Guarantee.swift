/// A value that will be there later, and cannot fail to come.
///
/// A thin face on a ``Promise`` that never rejects: chains on it need no `catch` until a closure throws or returns a
/// promise. Cancelling a guarantee asks its source to hurry: the one of ``after(seconds:timekeeper:)`` is fulfilled at
/// once. The bodies of a cancelled `done` and `get` do not run. Those of `map` and `then` do, as there is no value without
/// them. Where that must not be, begin the chain with a promise.
public struct Guarantee<T: Sendable>: Thenable {
    /// The promise behind it, which never rejects.
    public let _promise: Promise<T>

    /// Wraps a promise that nothing can reject.
    @usableFromInline init(_unfailing promise: Promise<T>) {
        promise.withState { $0.set(.outlivesCancel) }
        _promise = promise
    }

    /// Makes a guarantee and hands `body` the means to fulfil it.
    ///
    /// - Parameters:
    ///   - file: where it is made, for messages.
    ///   - line: the line it is made in, for messages.
    ///   - body: runs at once, in the calling thread. Letting `resolve` go unused is reported to the log handler: the
    ///     guarantee can then never settle. Promises that wait for it reject with
    ///     ``PromiseError/dropped(file:line:)``, and code that awaits it stops.
    public init(
        file: StaticString = #fileID, line: UInt = #line, resolver body: (@escaping @Sendable (T) -> Void) -> Void
    ) {
        let (guarantee, resolve) = Guarantee.pending(file: file, line: line)
        self = guarantee
        body(resolve)
    }

    /// A guarantee that is fulfilled from the start.
    public static func value(_ value: T) -> Guarantee<T> { Guarantee(_unfailing: .value(value)) }

    /// A pending guarantee, and the closure that fulfils it.
    public static func pending(
        file: StaticString = #fileID, line: UInt = #line
    ) -> (guarantee: Guarantee<T>, resolve: @Sendable (T) -> Void) {
        let (promise, resolver) = Promise<T>.pending(file: file, line: line)
        return (Guarantee(_unfailing: promise), { resolver.fulfill($0) })
    }
}

extension Guarantee where T == Void {
    /// A guarantee that is fulfilled from the start.
    public init() { self.init(_unfailing: Promise()) }

    /// A guarantee that is fulfilled from the start.
    public static var value: Guarantee<Void> { Guarantee() }
}
