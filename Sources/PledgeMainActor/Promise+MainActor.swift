// In the order of the variants with `on: MainActor.shared`. The element of a list is a parameter of its own, as in Pledge.
extension Thenable {
    /// Continues with the promise that a closure returns for the value on the main actor.
    public func then<V, U: Thenable<V>>(
        _ onMainActor: @escaping @MainActor @Sendable (T) throws -> U
    ) -> Promise<V> { then(on: MainActor.shared, onMainActor) }

    /// Transforms the value on the main actor.
    public func map<U: Sendable>(
        _ onMainActor: @escaping @MainActor @Sendable (T) throws -> U
    ) -> Promise<U> { map(on: MainActor.shared, onMainActor) }

    /// Transforms the value on the main actor, and rejects if the result is nil.
    public func compactMap<U: Sendable>(
        _ onMainActor: @escaping @MainActor @Sendable (T) throws -> U?
    ) -> Promise<U> { compactMap(on: MainActor.shared, onMainActor) }

    /// Calls a closure with the value on the main actor, at the end of a chain.
    public func done(
        _ onMainActor: @escaping @MainActor @Sendable (T) throws -> Void
    ) -> Promise<Void> { done(on: MainActor.shared, onMainActor) }

    /// Calls a closure with the value on the main actor, then passes the value on.
    public func get(
        _ onMainActor: @escaping @MainActor @Sendable (T) throws -> Void
    ) -> Promise<T> { get(on: MainActor.shared, onMainActor) }

    /// Calls a closure with the outcome on the main actor, then passes the outcome on.
    public func tap(
        _ onMainActor: @escaping @MainActor @Sendable (Result<T, any Error>) -> Void
    ) -> Promise<T> { tap(on: MainActor.shared, onMainActor) }

    /// Handles the error a chain ends with, on the main actor.
    @discardableResult public func `catch`(
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ onMainActor: @escaping @MainActor @Sendable (any Error) -> Void
    ) -> Promise<Void> { `catch`(on: MainActor.shared, policy: policy, onMainActor) }

    /// Handles errors of one type on the main actor. Other errors propagate to the next `catch`.
    public func `catch`<E: Error>(
        only type: E.Type, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ onMainActor: @escaping @MainActor @Sendable (E) -> Void
    ) -> Promise<Void> { `catch`(only: type, on: MainActor.shared, policy: policy, onMainActor) }

    /// Handles one error on the main actor, including cancellation. Other errors propagate to the next `catch`.
    public func `catch`<E: Error & Equatable>(
        only wanted: E, _ onMainActor: @escaping @MainActor @Sendable (E) -> Void
    ) -> Promise<Void> { `catch`(only: wanted, on: MainActor.shared, onMainActor) }

    /// Recovers from an error with a guarantee on the main actor. A value is passed on.
    public func recover(
        _ onMainActor: @escaping @MainActor @Sendable (any Error) -> Guarantee<T>
    ) -> Guarantee<T> { recover(on: MainActor.shared, onMainActor) }

    /// Recovers from an error with another promise on the main actor. A value is passed on.
    public func recover<U: Thenable>(
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ onMainActor: @escaping @MainActor @Sendable (any Error) throws -> U
    ) -> Promise<T> where U.T == T { recover(on: MainActor.shared, policy: policy, onMainActor) }

    /// Recovers from errors of one type with another promise on the main actor. Values and other errors are passed on.
    public func recover<U: Thenable, E: Error>(
        only type: E.Type, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ onMainActor: @escaping @MainActor @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T { recover(only: type, on: MainActor.shared, policy: policy, onMainActor) }

    /// Recovers from one error with another promise on the main actor. Values and other errors are passed on.
    public func recover<U: Thenable, E: Error & Equatable>(
        only wanted: E, _ onMainActor: @escaping @MainActor @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T { recover(only: wanted, on: MainActor.shared, onMainActor) }

    /// Transforms an error, including cancellation, on the main actor. A value is passed on.
    public func mapError(
        _ onMainActor: @escaping @MainActor @Sendable (any Error) -> any Error
    ) -> Promise<T> { mapError(on: MainActor.shared, onMainActor) }

    /// Runs a closure on the main actor regardless of the outcome, then passes the outcome on.
    public func ensure(_ onMainActor: @escaping @MainActor @Sendable () -> Void) -> Promise<T> {
        ensure(on: MainActor.shared, onMainActor)
    }

    /// Runs a closure on the main actor regardless of the outcome, waits for its work, then passes the outcome on.
    public func ensureThen(
        _ onMainActor: @escaping @MainActor @Sendable () -> Guarantee<Void>
    ) -> Promise<T> { ensureThen(on: MainActor.shared, onMainActor) }
}

extension Thenable where T == Void {
    /// Recovers from an error, including cancellation, on the main actor, so that the chain can no longer fail.
    @discardableResult public func recover(
        _ onMainActor: @escaping @MainActor @Sendable (any Error) -> Void
    ) -> Guarantee<Void> { recover(on: MainActor.shared, onMainActor) }

    /// Recovers from an error on the main actor, unless the closure throws.
    public func recover(
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ onMainActor: @escaping @MainActor @Sendable (any Error) throws -> Void
    ) -> Promise<Void> { recover(on: MainActor.shared, policy: policy, onMainActor) }

    /// Recovers from errors of one type on the main actor. Other errors are passed on.
    public func recover<E: Error>(
        only type: E.Type, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ onMainActor: @escaping @MainActor @Sendable (E) throws -> Void
    ) -> Promise<Void> { recover(only: type, on: MainActor.shared, policy: policy, onMainActor) }

    /// Recovers from one error on the main actor. Other errors are passed on.
    public func recover<E: Error & Equatable>(
        only wanted: E, _ onMainActor: @escaping @MainActor @Sendable (E) throws -> Void
    ) -> Promise<Void> { recover(only: wanted, on: MainActor.shared, onMainActor) }

    /// Runs a closure on the main actor at the end of a chain, regardless of the outcome.
    public func finally(_ onMainActor: @escaping @MainActor @Sendable () -> Void) {
        _ = ensure(on: MainActor.shared, onMainActor)
    }
}

extension Thenable {
    /// Transforms each element on the main actor.
    public func mapValues<E: Sendable, U: Sendable>(
        _ onMainActor: @escaping @MainActor @Sendable (E) throws -> U
    ) -> Promise<[U]> where T: Sequence<E> { mapValues(on: MainActor.shared, onMainActor) }

    /// Transforms each element into a sequence on the main actor, and concatenates the results.
    public func flatMapValues<E: Sendable, U: Sequence & Sendable>(
        _ onMainActor: @escaping @MainActor @Sendable (E) throws -> U
    ) -> Promise<[U.Element]> where T: Sequence<E>, U.Element: Sendable {
        flatMapValues(on: MainActor.shared, onMainActor)
    }

    /// Transforms each element on the main actor, leaving out nil results.
    public func compactMapValues<E: Sendable, U: Sendable>(
        _ onMainActor: @escaping @MainActor @Sendable (E) throws -> U?
    ) -> Promise<[U]> where T: Sequence<E> { compactMapValues(on: MainActor.shared, onMainActor) }

    /// Creates a promise from each element on the main actor, and waits for all of them.
    public func thenMap<E: Sendable, V, U: Thenable<V>>(
        _ onMainActor: @escaping @MainActor @Sendable (E) throws -> U
    ) -> Promise<[V]> where T: Sequence<E> { thenMap(on: MainActor.shared, onMainActor) }

    /// Creates a promise from each element on the main actor, waits for all of them, and concatenates their values.
    public func thenFlatMap<E: Sendable, V, U: Thenable<V>>(
        _ onMainActor: @escaping @MainActor @Sendable (E) throws -> U
    ) -> Promise<[V.Element]> where T: Sequence<E>, V: Sequence, V.Element: Sendable {
        thenFlatMap(on: MainActor.shared, onMainActor)
    }

    /// Keeps the elements for which a closure, called on the main actor, returns true.
    public func filterValues<E: Sendable>(
        _ onMainActor: @escaping @MainActor @Sendable (E) -> Bool
    ) -> Promise<[E]> where T: Sequence<E> { filterValues(on: MainActor.shared, onMainActor) }
}

extension Thenable {
    /// Returns a promise for the first element for which a closure, called on the main actor, returns true.
    public func firstValue<E: Sendable>(
        where onMainActor: @escaping @MainActor @Sendable (E) -> Bool
    ) -> Promise<E> where T: Collection<E> { firstValue(on: MainActor.shared, where: onMainActor) }
}
