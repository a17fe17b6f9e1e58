// In the order of the variants with `on: MainActor.shared`. The element of a list is a parameter of its own, as in Pledge.
extension Thenable {
    /// Continues with the promise that `body` returns for the value on the main actor.
    public func then<V, U: Thenable<V>>(
        _ body: @escaping @MainActor @Sendable (T) throws -> U
    ) -> Promise<V> { then(on: MainActor.shared, body) }

    /// Transforms the value on the main actor.
    public func map<U: Sendable>(
        _ transform: @escaping @MainActor @Sendable (T) throws -> U
    ) -> Promise<U> { map(on: MainActor.shared, transform) }

    /// Transforms the value on the main actor, and rejects if the result is nil.
    public func compactMap<U: Sendable>(
        _ transform: @escaping @MainActor @Sendable (T) throws -> U?
    ) -> Promise<U> { compactMap(on: MainActor.shared, transform) }

    /// Calls `body` with the value on the main actor, at the end of a chain.
    public func done(
        _ body: @escaping @MainActor @Sendable (T) throws -> Void
    ) -> Promise<Void> { done(on: MainActor.shared, body) }

    /// Calls `body` with the value on the main actor, then passes the value on.
    public func get(
        _ body: @escaping @MainActor @Sendable (T) throws -> Void
    ) -> Promise<T> { get(on: MainActor.shared, body) }

    /// Calls `body` with the outcome on the main actor, then passes the outcome on.
    public func tap(
        _ body: @escaping @MainActor @Sendable (Result<T, any Error>) -> Void
    ) -> Promise<T> { tap(on: MainActor.shared, body) }

    /// Handles the error a chain ends with, on the main actor.
    @discardableResult public func `catch`(
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (any Error) -> Void
    ) -> Promise<Void> { `catch`(on: MainActor.shared, policy: policy, body) }

    /// Handles errors of one type on the main actor. Other errors propagate to the next `catch`.
    public func `catch`<E: Error>(
        only type: E.Type, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (E) -> Void
    ) -> Promise<Void> { `catch`(only: type, on: MainActor.shared, policy: policy, body) }

    /// Handles one error on the main actor, including cancellation. Other errors propagate to the next `catch`.
    public func `catch`<E: Error & Equatable>(
        only wanted: E, _ body: @escaping @MainActor @Sendable (E) -> Void
    ) -> Promise<Void> { `catch`(only: wanted, on: MainActor.shared, body) }

    /// Recovers from an error with a guarantee on the main actor. A value is passed on.
    public func recover(
        _ body: @escaping @MainActor @Sendable (any Error) -> Guarantee<T>
    ) -> Guarantee<T> { recover(on: MainActor.shared, body) }

    /// Recovers from an error with another promise on the main actor. A value is passed on.
    public func recover<U: Thenable>(
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (any Error) throws -> U
    ) -> Promise<T> where U.T == T { recover(on: MainActor.shared, policy: policy, body) }

    /// Recovers from errors of one type with another promise on the main actor. Values and other errors are passed on.
    public func recover<U: Thenable, E: Error>(
        only type: E.Type, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T { recover(only: type, on: MainActor.shared, policy: policy, body) }

    /// Recovers from one error with another promise on the main actor. Values and other errors are passed on.
    public func recover<U: Thenable, E: Error & Equatable>(
        only wanted: E, _ body: @escaping @MainActor @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T { recover(only: wanted, on: MainActor.shared, body) }

    /// Transforms an error, including cancellation, on the main actor. A value is passed on.
    public func mapError(
        _ transform: @escaping @MainActor @Sendable (any Error) -> any Error
    ) -> Promise<T> { mapError(on: MainActor.shared, transform) }

    /// Runs `body` on the main actor regardless of the outcome, then passes the outcome on.
    public func ensure(_ body: @escaping @MainActor @Sendable () -> Void) -> Promise<T> {
        ensure(on: MainActor.shared, body)
    }

    /// Runs `body` on the main actor regardless of the outcome, waits for its work, then passes the outcome on.
    public func ensureThen(
        _ body: @escaping @MainActor @Sendable () -> Guarantee<Void>
    ) -> Promise<T> { ensureThen(on: MainActor.shared, body) }
}

extension Thenable where T == Void {
    /// Recovers from an error, including cancellation, on the main actor, so that the chain can no longer fail.
    @discardableResult public func recover(
        _ body: @escaping @MainActor @Sendable (any Error) -> Void
    ) -> Guarantee<Void> { recover(on: MainActor.shared, body) }

    /// Recovers from an error on the main actor, unless `body` throws.
    public func recover(
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (any Error) throws -> Void
    ) -> Promise<Void> { recover(on: MainActor.shared, policy: policy, body) }

    /// Recovers from errors of one type on the main actor. Other errors are passed on.
    public func recover<E: Error>(
        only type: E.Type, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (E) throws -> Void
    ) -> Promise<Void> { recover(only: type, on: MainActor.shared, policy: policy, body) }

    /// Recovers from one error on the main actor. Other errors are passed on.
    public func recover<E: Error & Equatable>(
        only wanted: E, _ body: @escaping @MainActor @Sendable (E) throws -> Void
    ) -> Promise<Void> { recover(only: wanted, on: MainActor.shared, body) }

    /// Runs `body` on the main actor at the end of a chain, regardless of the outcome.
    public func finally(_ body: @escaping @MainActor @Sendable () -> Void) {
        _ = ensure(on: MainActor.shared, body)
    }
}

extension Thenable {
    /// Transforms each element on the main actor.
    public func mapValues<E: Sendable, U: Sendable>(
        _ transform: @escaping @MainActor @Sendable (E) throws -> U
    ) -> Promise<[U]> where T: Sequence<E> { mapValues(on: MainActor.shared, transform) }

    /// Transforms each element into a sequence on the main actor, and concatenates the results.
    public func flatMapValues<E: Sendable, U: Sequence & Sendable>(
        _ transform: @escaping @MainActor @Sendable (E) throws -> U
    ) -> Promise<[U.Element]> where T: Sequence<E>, U.Element: Sendable {
        flatMapValues(on: MainActor.shared, transform)
    }

    /// Transforms each element on the main actor, leaving out nil results.
    public func compactMapValues<E: Sendable, U: Sendable>(
        _ transform: @escaping @MainActor @Sendable (E) throws -> U?
    ) -> Promise<[U]> where T: Sequence<E> { compactMapValues(on: MainActor.shared, transform) }

    /// Creates a promise from each element on the main actor, and waits for all of them.
    public func thenMap<E: Sendable, V, U: Thenable<V>>(
        _ transform: @escaping @MainActor @Sendable (E) throws -> U
    ) -> Promise<[V]> where T: Sequence<E> { thenMap(on: MainActor.shared, transform) }

    /// Creates a promise from each element on the main actor, waits for all of them, and concatenates their values.
    public func thenFlatMap<E: Sendable, V, U: Thenable<V>>(
        _ transform: @escaping @MainActor @Sendable (E) throws -> U
    ) -> Promise<[V.Element]> where T: Sequence<E>, V: Sequence, V.Element: Sendable {
        thenFlatMap(on: MainActor.shared, transform)
    }

    /// Keeps the elements for which `isIncluded`, called on the main actor, returns true.
    public func filterValues<E: Sendable>(
        _ isIncluded: @escaping @MainActor @Sendable (E) -> Bool
    ) -> Promise<[E]> where T: Sequence<E> { filterValues(on: MainActor.shared, isIncluded) }
}

extension Thenable {
    /// Returns a promise for the first element for which `isWanted`, called on the main actor, returns true.
    public func firstValue<E: Sendable>(
        where isWanted: @escaping @MainActor @Sendable (E) -> Bool
    ) -> Promise<E> where T: Collection<E> { firstValue(on: MainActor.shared, where: isWanted) }
}
