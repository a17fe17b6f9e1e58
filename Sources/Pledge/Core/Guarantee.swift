/// A value that becomes available later and can't fail.
///
/// A thin wrapper around a ``Promise`` that never rejects: chains on it need no `catch` until a closure throws or
/// returns a promise. Canceling a guarantee asks its source to finish early: the one of ``after(seconds:timekeeper:)``
/// is fulfilled at once. The closures of a canceled `done` or `get` don't run. Those of `map`, `then`, and `recover`
/// do, because there is no value without them. Where they must not run, begin the chain with a promise.
public struct Guarantee<T: Sendable>: Thenable {
    @usableFromInline let promise: Promise<T>

    /// Wraps a promise that nothing can reject.
    @usableFromInline package init(_unfailing promise: Promise<T>) {
        promise.storage.withState { $0.set(.guarantee) }
        self.promise = promise
    }

    /// The underlying promise, which never rejects.
    public subscript(_promise _: Void) -> Promise<T> { promise }

    /// Creates a guarantee and passes the closure that fulfills it to `body`, which runs at once on the calling thread.
    ///
    /// If that closure is released unused, the guarantee can never settle: this is logged, promises that wait for it
    /// reject with ``PromiseError/dropped(file:line:)``, and code that awaits it stops the program.
    public init(
        file: StaticString = #fileID, line: UInt = #line, resolver body: (@escaping @Sendable (T) -> Void) -> Void
    ) {
        let (guarantee, resolve) = Guarantee.pending(file: file, line: line)
        self = guarantee
        body(resolve)
    }

    /// Returns a guarantee fulfilled with a value.
    public static func value(_ value: T) -> Guarantee<T> { Guarantee(_unfailing: .value(value)) }

    /// Returns a pending guarantee and the closure that fulfills it.
    public static func pending(
        file: StaticString = #fileID, line: UInt = #line
    ) -> (guarantee: Guarantee<T>, resolve: @Sendable (T) -> Void) {
        let (promise, resolver) = Promise<T>.pending(file: file, line: line)
        return (Guarantee(_unfailing: promise), { resolver.fulfill($0) })
    }
}

extension Guarantee where T == Void {
    /// Creates a fulfilled guarantee without a value.
    public init() { self.init(_unfailing: Promise()) }

    /// A fulfilled guarantee without a value.
    public static var value: Guarantee<Void> { Guarantee() }
}
