import Dispatch

/// A promise seen from the main actor. It has the promise's operators, but their closures are isolated to the main
/// actor, run on the main queue, and may use the main actor's state.
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
/// Each operator returns such a view. To return, combine, await, or cancel the promise, leave the view with
/// ``promise``. The promise's operators have the complete documentation.
public struct OnMain<T: Sendable>: MainThenable {
    /// The underlying promise, outside the view.
    public let promise: Promise<T>
}

/// A guarantee seen from the main actor; see ``OnMain``.
public struct OnMainGuarantee<T: Sendable>: MainThenable {
    /// The underlying guarantee, outside the view.
    public let guarantee: Guarantee<T>

    /// The guarantee as a promise, which never rejects.
    public var promise: Promise<T> { guarantee._promise }
}

/// A promise or guarantee seen from the main actor.
public protocol MainThenable<T>: Sendable {
    /// The type of the promised value.
    associatedtype T: Sendable

    /// The underlying promise, outside the view.
    var promise: Promise<T> { get }
}

extension Promise {
    /// The promise seen from the main actor: the closures of the operators that follow run there.
    public var onMain: OnMain<T> { OnMain(promise: self) }
}

extension Guarantee {
    /// The guarantee seen from the main actor: the closures of the operators that follow run there.
    public var onMain: OnMainGuarantee<T> { OnMainGuarantee(guarantee: self) }
}

/// Calls a closure on the main actor, and returns a promise for the promise it returns. Use it in closures that run
/// elsewhere.
///
/// ```swift
/// retry(attempts: 3) { onMain { self.load() } }
/// ```
///
/// - Cancellation: Prevents `body` from running or, once it has run, propagates to the promise it returned.
public func onMain<V, U: Thenable<V>>(_ body: @escaping @MainActor () throws -> U) -> Promise<V> {
    Promise().onMain.then(body).promise
}

/// Calls a closure on the main actor, and returns a guarantee that is fulfilled when it has run.
@discardableResult public func onMain(_ body: @escaping @MainActor () -> Void) -> Guarantee<Void> {
    Guarantee().onMain.done(body).guarantee
}

extension MainThenable {
    /// Continues with the promise that `body` returns for the value.
    public func then<V, U: Thenable<V>>(
        _ body: @escaping @MainActor (T) throws -> U
    ) -> OnMain<V> { promise.then(on: .main, isolated(body)).onMain }

    /// Continues, on another queue and outside the view, with the promise that `body` returns for the value.
    public func then<V, U: Thenable<V>>(
        on queue: DispatchQueue?, _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<V> { promise.then(on: queue, body) }

    /// Transforms the value with a closure.
    public func map<U: Sendable>(
        _ transform: @escaping @MainActor (T) throws -> U
    ) -> OnMain<U> { promise.map(on: .main, isolated(transform)).onMain }

    /// Transforms the value, and rejects if the result is nil.
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

    /// Handles the error a chain ends with.
    @discardableResult public func `catch`(
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor (any Error) -> Void
    ) -> OnMain<Void> { promise.catch(on: .main, policy: policy, isolated(body)).onMain }

    /// Handles errors of one type. Other errors propagate to the next `catch`.
    public func `catch`<E: Error>(
        only type: E.Type, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor (E) -> Void
    ) -> OnMain<Void> { promise.catch(only: type, on: .main, policy: policy, isolated(body)).onMain }

    /// Handles one error, including cancellation. Other errors propagate to the next `catch`.
    public func `catch`<E: Error & Equatable>(
        only wanted: E, _ body: @escaping @MainActor (E) -> Void
    ) -> OnMain<Void> { promise.catch(only: wanted, on: .main, isolated(body)).onMain }

    /// Ends a chain without a `catch`. An error is reported to the log handler.
    @discardableResult public func cauterize() -> OnMain<Void> { promise.cauterize().onMain }

    /// Recovers from an error with a guarantee. A value is passed on.
    public func recover(
        _ body: @escaping @MainActor (any Error) -> Guarantee<T>
    ) -> OnMainGuarantee<T> { promise.recover(on: .main, isolated(body)).onMain }

    /// Recovers from an error with another promise. A value is passed on.
    public func recover<U: Thenable<T>>(
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor (any Error) throws -> U
    ) -> OnMain<T> { promise.recover(on: .main, policy: policy, isolated(body)).onMain }

    /// Recovers from errors of one type with another promise. Values and other errors are passed on.
    public func recover<U: Thenable<T>, E: Error>(
        only type: E.Type, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor (E) throws -> U
    ) -> OnMain<T> { promise.recover(only: type, on: .main, policy: policy, isolated(body)).onMain }

    /// Recovers from one error with another promise. Values and other errors are passed on.
    public func recover<U: Thenable<T>, E: Error & Equatable>(
        only wanted: E, _ body: @escaping @MainActor (E) throws -> U
    ) -> OnMain<T> { promise.recover(only: wanted, on: .main, isolated(body)).onMain }

    /// Transforms an error, including cancellation. A value is passed on.
    public func mapError(
        _ transform: @escaping @MainActor (any Error) -> any Error
    ) -> OnMain<T> { promise.mapError(on: .main, isolated(transform)).onMain }

    /// Runs `body` regardless of the outcome, then passes the outcome on.
    public func ensure(_ body: @escaping @MainActor () -> Void) -> OnMain<T> {
        promise.ensure(on: .main) { MainActor.assumeIsolated(body) }.onMain
    }

    /// Runs `body` regardless of the outcome, waits for its work, then passes the outcome on.
    public func ensureThen(_ body: @escaping @MainActor () -> Guarantee<Void>) -> OnMain<T> {
        promise.ensureThen(on: .main) { MainActor.assumeIsolated(body) }.onMain
    }
}

extension MainThenable where T == Void {
    /// Recovers from an error, including cancellation, so that the chain can no longer fail.
    @discardableResult public func recover(
        _ body: @escaping @MainActor (any Error) -> Void
    ) -> OnMainGuarantee<Void> { promise.recover(on: .main, isolated(body)).onMain }

    /// Recovers from an error, unless `body` throws.
    public func recover(
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor (any Error) throws -> Void
    ) -> OnMain<Void> { promise.recover(on: .main, policy: policy, isolated(body)).onMain }

    /// Recovers from errors of one type. Other errors are passed on.
    public func recover<E: Error>(
        only type: E.Type, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor (E) throws -> Void
    ) -> OnMain<Void> { promise.recover(only: type, on: .main, policy: policy, isolated(body)).onMain }

    /// Recovers from one error, including cancellation. Other errors are passed on.
    public func recover<E: Error & Equatable>(
        only wanted: E, _ body: @escaping @MainActor (E) throws -> Void
    ) -> OnMain<Void> { promise.recover(only: wanted, on: .main, isolated(body)).onMain }

    /// Runs `body` at the end of a chain, regardless of the outcome.
    public func finally(_ body: @escaping @MainActor () -> Void) { _ = ensure(body) }
}

// Operators for lists. For the promise's other list operators, write a `map`: `.map { list in list.flatMap { … } }`.
extension MainThenable {
    /// Transforms each element of the list.
    public func mapValues<E, U: Sendable>(
        _ transform: @escaping @MainActor (E) throws -> U
    ) -> OnMain<[U]> where T: Sequence<E> { map { try $0.map(transform) } }

    /// Transforms each element, leaving out nil results.
    public func compactMapValues<E, U: Sendable>(
        _ transform: @escaping @MainActor (E) throws -> U?
    ) -> OnMain<[U]> where T: Sequence<E> { map { try $0.compactMap(transform) } }

    /// Keeps the elements for which `isIncluded` returns true.
    public func filterValues<E: Sendable>(
        _ isIncluded: @escaping @MainActor (E) -> Bool
    ) -> OnMain<[E]> where T: Sequence<E> { map { list in list.filter { isIncluded($0) } } }

    /// Creates a promise from each element, and waits for all of them.
    public func thenMap<E, V, U: Thenable<V>>(
        _ transform: @escaping @MainActor (E) throws -> U
    ) -> OnMain<[V]> where T: Sequence<E> { then { when(fulfilled: try $0.map(transform)) } }
}

// The operators that can't fail if their closure can't.
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

// Returns a closure for the main queue that calls a closure isolated to the main actor.
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
