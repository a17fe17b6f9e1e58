import Dispatch

/// A view of a promise for code on the main actor. The view has the same operators as the promise, but their closures
/// run on the main queue, are isolated to the main actor, and may use its state.
///
/// ```swift
/// existAPI.user().onMain.done { user, _ in
///     self.title = user.firstName
/// }.ensure {
///     self.isLoading = false
/// }.catch { error in
///     self.title = "\(error)"
/// }
/// ```
///
/// Each operator returns another such view. To return, combine, await, or cancel the promise itself, use the property
/// ``promise``. The promise's own operators have the complete documentation.
public struct OnMain<T: Sendable>: MainThenable {
    /// The promise that this view shows. Its operators run their closures on the default queue again.
    public let promise: Promise<T>
}

/// A view of a guarantee for code on the main actor; see ``OnMain``.
public struct OnMainGuarantee<T: Sendable>: MainThenable {
    /// The guarantee that this view shows. Its operators run their closures on the default queue again.
    public let guarantee: Guarantee<T>

    /// The guarantee as a promise, which never rejects.
    public var promise: Promise<T> { guarantee._promise }
}

/// A view of a promise or guarantee for code on the main actor: ``OnMain`` or ``OnMainGuarantee``.
public protocol MainThenable<T>: Sendable {
    /// The type of the promised value.
    associatedtype T: Sendable

    /// The promise that this view shows. Its operators run their closures on the default queue again.
    var promise: Promise<T> { get }
}

extension Promise {
    /// A view of this promise whose operators run their closures on the main actor.
    public var onMain: OnMain<T> { OnMain(promise: self) }
}

extension Guarantee {
    /// A view of this guarantee whose operators run their closures on the main actor.
    public var onMain: OnMainGuarantee<T> { OnMainGuarantee(guarantee: self) }
}

/// Calls a closure on the main actor, and returns a promise that settles in the same way as the promise that the
/// closure returns. Use this function in closures that run elsewhere.
///
/// ```swift
/// retry(attempts: 3) { onMain { self.load() } }
/// ```
///
/// - Cancellation: If `body` hasn't run yet, it doesn't run. Otherwise, the promise that `body` returned is canceled.
public func onMain<V, U: Thenable<V>>(_ body: @escaping @MainActor () throws -> U) -> Promise<V> {
    Promise().onMain.then(body).promise
}

/// Calls a closure on the main actor, and returns a guarantee that is fulfilled when the closure has run.
@discardableResult public func onMain(_ body: @escaping @MainActor () -> Void) -> Guarantee<Void> {
    Guarantee().onMain.done(body).guarantee
}

extension MainThenable {
    /// Continues with the promise that `body` returns for the value.
    public func then<V, U: Thenable<V>>(
        _ body: @escaping @MainActor (T) throws -> U
    ) -> OnMain<V> { promise.then(on: .main, isolated(body)).onMain }

    /// Continues with the promise that `body` returns for the value. `body` runs on the given queue, and the chain
    /// leaves the main actor: the result is an ordinary promise.
    // With a second `then`, the compiler also names a typo at the end of a long chain. With only one, it says that “type
    // '()' cannot conform to 'Thenable'”.
    public func then<V, U: Thenable<V>>(
        on queue: DispatchQueue?, _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<V> { promise.then(on: queue, body) }

    /// Transforms the value with a closure.
    public func map<U: Sendable>(
        _ transform: @escaping @MainActor (T) throws -> U
    ) -> OnMain<U> { promise.map(on: .main, isolated(transform)).onMain }

    /// Transforms the value with a closure. If the result is nil, the promise rejects.
    public func compactMap<U: Sendable>(
        _ transform: @escaping @MainActor (T) throws -> U?
    ) -> OnMain<U> { promise.compactMap(on: .main, isolated(transform)).onMain }

    /// Calls `body` with the value, at the end of a chain.
    public func done(
        _ body: @escaping @MainActor (T) throws -> Void
    ) -> OnMain<Void> { promise.done(on: .main, isolated(body)).onMain }

    /// Calls `body` with the value, then passes the value on.
    public func get(
        _ body: @escaping @MainActor (T) throws -> Void
    ) -> OnMain<T> { promise.get(on: .main, isolated(body)).onMain }

    /// Calls `body` with the outcome, then passes the outcome on.
    public func tap(
        _ body: @escaping @MainActor (Result<T, any Error>) -> Void
    ) -> OnMain<T> { promise.tap(on: .main, isolated(body)).onMain }

    /// Handles the error that a chain ends with.
    @discardableResult public func `catch`(
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor (any Error) -> Void
    ) -> OnMain<Void> { promise.catch(on: .main, policy: policy, isolated(body)).onMain }

    /// Handles errors of one type. Any other error goes on to the next `catch`.
    public func `catch`<E: Error>(
        only type: E.Type, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor (E) -> Void
    ) -> OnMain<Void> { promise.catch(only: type, on: .main, policy: policy, isolated(body)).onMain }

    /// Handles one error, which may be a cancellation. Any other error goes on to the next `catch`.
    public func `catch`<E: Error & Equatable>(
        only wanted: E, _ body: @escaping @MainActor (E) -> Void
    ) -> OnMain<Void> { promise.catch(only: wanted, on: .main, isolated(body)).onMain }

    /// Ends a chain without a `catch`. An error is reported to the log handler.
    @discardableResult public func cauterize() -> OnMain<Void> { promise.cauterize().onMain }

    /// Recovers from an error with the guarantee that `body` returns. A value is passed on.
    public func recover(
        _ body: @escaping @MainActor (any Error) -> Guarantee<T>
    ) -> OnMainGuarantee<T> { promise.recover(on: .main, isolated(body)).onMain }

    /// Recovers from an error with the promise that `body` returns. A value is passed on.
    public func recover<U: Thenable<T>>(
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor (any Error) throws -> U
    ) -> OnMain<T> { promise.recover(on: .main, policy: policy, isolated(body)).onMain }

    /// Recovers from errors of one type with the promise that `body` returns. Values and other errors are passed on.
    public func recover<U: Thenable<T>, E: Error>(
        only type: E.Type, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor (E) throws -> U
    ) -> OnMain<T> { promise.recover(only: type, on: .main, policy: policy, isolated(body)).onMain }

    /// Recovers from one error with the promise that `body` returns. Values and other errors are passed on.
    public func recover<U: Thenable<T>, E: Error & Equatable>(
        only wanted: E, _ body: @escaping @MainActor (E) throws -> U
    ) -> OnMain<T> { promise.recover(only: wanted, on: .main, isolated(body)).onMain }

    /// Transforms an error, including cancellation, with a closure. A value is passed on.
    public func mapError(
        _ transform: @escaping @MainActor (any Error) -> any Error
    ) -> OnMain<T> { promise.mapError(on: .main, isolated(transform)).onMain }

    /// Runs `body` after a value, an error, or a cancel, and then passes the outcome on.
    public func ensure(_ body: @escaping @MainActor () -> Void) -> OnMain<T> {
        promise.ensure(on: .main) { MainActor.assumeIsolated(body) }.onMain
    }

    /// Runs `body` after a value, an error, or a cancel, waits for the guarantee that `body` returns, and then passes
    /// the outcome on.
    public func ensureThen(_ body: @escaping @MainActor () -> Guarantee<Void>) -> OnMain<T> {
        promise.ensureThen(on: .main) { MainActor.assumeIsolated(body) }.onMain
    }
}

extension MainThenable where T == Void {
    /// Recovers from an error, including cancellation, by calling `body`. After that, the chain can't fail.
    @discardableResult public func recover(
        _ body: @escaping @MainActor (any Error) -> Void
    ) -> OnMainGuarantee<Void> { promise.recover(on: .main, isolated(body)).onMain }

    /// Recovers from an error by calling `body`. If `body` throws, the chain fails with the thrown error.
    public func recover(
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor (any Error) throws -> Void
    ) -> OnMain<Void> { promise.recover(on: .main, policy: policy, isolated(body)).onMain }

    /// Recovers from errors of one type by calling `body`. Other errors are passed on.
    public func recover<E: Error>(
        only type: E.Type, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor (E) throws -> Void
    ) -> OnMain<Void> { promise.recover(only: type, on: .main, policy: policy, isolated(body)).onMain }

    /// Recovers from one error, which may be a cancellation, by calling `body`. Other errors are passed on.
    public func recover<E: Error & Equatable>(
        only wanted: E, _ body: @escaping @MainActor (E) throws -> Void
    ) -> OnMain<Void> { promise.recover(only: wanted, on: .main, isolated(body)).onMain }

    /// Runs `body` at the end of a chain, whether the chain succeeds, fails, or is canceled.
    public func finally(_ body: @escaping @MainActor () -> Void) { _ = ensure(body) }
}

// Operators for lists. For any other operation on a list, use `map`: `.map { list in list.flatMap { … } }`.
extension MainThenable {
    /// Transforms each element of the list with a closure.
    public func mapValues<E, U: Sendable>(
        _ transform: @escaping @MainActor (E) throws -> U
    ) -> OnMain<[U]> where T: Sequence<E> { map { try $0.map(transform) } }

    /// Transforms each element of the list with a closure, and leaves out the results that are nil.
    public func compactMapValues<E, U: Sendable>(
        _ transform: @escaping @MainActor (E) throws -> U?
    ) -> OnMain<[U]> where T: Sequence<E> { map { try $0.compactMap(transform) } }

    /// Keeps the elements of the list for which `isIncluded` returns true.
    public func filterValues<E: Sendable>(
        _ isIncluded: @escaping @MainActor (E) -> Bool
    ) -> OnMain<[E]> where T: Sequence<E> { map { list in list.filter { isIncluded($0) } } }

    /// Creates a promise from each element of the list, and waits for all of these promises.
    public func thenMap<E, V, U: Thenable<V>>(
        _ transform: @escaping @MainActor (E) throws -> U
    ) -> OnMain<[V]> where T: Sequence<E> { then { when(fulfilled: promises(from: $0, transform)) } }
}

// These operators return a guarantee, because their closures can't fail.
extension OnMainGuarantee {
    /// Continues with the guarantee that `body` returns for the value.
    @discardableResult public func then<V, U: Unfailing<V>>(
        _ body: @escaping @MainActor (T) -> U
    ) -> OnMainGuarantee<V> { guarantee.then(on: .main, isolated(body)).onMain }

    /// Transforms the value with a closure.
    public func map<U: Sendable>(
        _ transform: @escaping @MainActor (T) -> U
    ) -> OnMainGuarantee<U> { guarantee.map(on: .main, isolated(transform)).onMain }

    /// Calls `body` with the value, at the end of a chain.
    @discardableResult public func done(
        _ body: @escaping @MainActor (T) -> Void
    ) -> OnMainGuarantee<Void> { guarantee.done(on: .main, isolated(body)).onMain }

    /// Calls `body` with the value, then passes the value on.
    public func get(
        _ body: @escaping @MainActor (T) -> Void
    ) -> OnMainGuarantee<T> { guarantee.get(on: .main, isolated(body)).onMain }
}

// Converts a closure that is isolated to the main actor into a closure that an operator can run on the main queue.
private func isolated<Input: Sendable, Output: Sendable>(
    _ body: @escaping @MainActor (Input) throws -> Output
) -> @Sendable (Input) throws -> Output {
    { input in try MainActor.assumeIsolated { try body(input) } }
}

private func isolated<Input: Sendable, Output: Sendable>(
    _ body: @escaping @MainActor (Input) -> Output
) -> @Sendable (Input) -> Output {
    { input in MainActor.assumeIsolated { body(input) } }
}
