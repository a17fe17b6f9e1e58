import Dispatch

// For user interfaces: every method that takes a closure has a variant for closures isolated to the main actor, which
// may access its state: `.done(on: MainActor.shared) { self.label = $0 }`. They are in the order of the plain methods,
// which have the complete documentation.

/// Converts a closure isolated to the main actor to one for the main queue.
func isolated<Input: Sendable, Output: Sendable>(
    _ body: @escaping @MainActor @Sendable (Input) throws -> Output
) -> @Sendable (Input) throws -> Output {
    { input in try MainActor.assumeIsolated { try body(input) } }
}

/// Converts a nonthrowing closure isolated to the main actor to one for the main queue.
func isolated<Input: Sendable, Output: Sendable>(
    _ body: @escaping @MainActor @Sendable (Input) -> Output
) -> @Sendable (Input) -> Output {
    { input in MainActor.assumeIsolated { body(input) } }
}

extension Thenable {
    /// Continues with the promise that `body` returns for the value on the main actor.
    public func then<V, U: Thenable<V>>(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (T) throws -> U
    ) -> Promise<V> { then(on: .main, isolated(body)) }

    /// Transforms the value on the main actor.
    public func map<U: Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T) throws -> U
    ) -> Promise<U> { map(on: .main, isolated(transform)) }

    /// Transforms the value on the main actor, and rejects if the result is nil.
    public func compactMap<U: Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T) throws -> U?
    ) -> Promise<U> { compactMap(on: .main, isolated(transform)) }

    /// Calls `body` with the value on the main actor, at the end of a chain.
    public func done(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (T) throws -> Void
    ) -> Promise<Void> { done(on: .main, isolated(body)) }

    /// Calls `body` with the value on the main actor, then passes the value on.
    public func get(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (T) throws -> Void
    ) -> Promise<T> { get(on: .main, isolated(body)) }

    /// Calls `body` with the outcome on the main actor, then passes the outcome on.
    public func tap(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (Result<T, any Error>) -> Void
    ) -> Promise<T> { tap(on: .main, isolated(body)) }

    /// Handles the error a chain ends with, on the main actor.
    @discardableResult public func `catch`(
        on actor: MainActor, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (any Error) -> Void
    ) -> Promise<Void> { `catch`(on: .main, policy: policy, isolated(body)) }

    /// Handles errors of one type on the main actor. Other errors propagate to the next `catch`.
    public func `catch`<E: Error>(
        only type: E.Type, on actor: MainActor, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (E) -> Void
    ) -> Promise<Void> { `catch`(only: type, on: .main, policy: policy, isolated(body)) }

    /// Handles one error on the main actor, including cancellation. Other errors propagate to the next `catch`.
    public func `catch`<E: Error & Equatable>(
        only wanted: E, on actor: MainActor, _ body: @escaping @MainActor @Sendable (E) -> Void
    ) -> Promise<Void> { `catch`(only: wanted, on: .main, isolated(body)) }

    /// Recovers from an error with a guarantee on the main actor. A value is passed on.
    public func recover(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (any Error) -> Guarantee<T>
    ) -> Guarantee<T> { recover(on: .main, isolated(body)) }

    /// Recovers from an error with another promise on the main actor. A value is passed on.
    public func recover<U: Thenable>(
        on actor: MainActor, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (any Error) throws -> U
    ) -> Promise<T> where U.T == T { recover(on: .main, policy: policy, isolated(body)) }

    /// Recovers from errors of one type with another promise on the main actor. Values and other errors are passed on.
    public func recover<U: Thenable, E: Error>(
        only type: E.Type, on actor: MainActor, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T { recover(only: type, on: .main, policy: policy, isolated(body)) }

    /// Recovers from one error with another promise on the main actor. Values and other errors are passed on.
    public func recover<U: Thenable, E: Error & Equatable>(
        only wanted: E, on actor: MainActor, _ body: @escaping @MainActor @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T { recover(only: wanted, on: .main, isolated(body)) }

    /// Transforms an error, including cancellation, on the main actor. A value is passed on.
    public func mapError(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (any Error) -> any Error
    ) -> Promise<T> { mapError(on: .main, isolated(transform)) }

    /// Runs `body` on the main actor regardless of the outcome, then passes the outcome on.
    public func ensure(on actor: MainActor, _ body: @escaping @MainActor @Sendable () -> Void) -> Promise<T> {
        ensure(on: .main) { MainActor.assumeIsolated(body) }
    }

    /// Runs `body` on the main actor regardless of the outcome, waits for its work, then passes the outcome on.
    public func ensureThen(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable () -> Guarantee<Void>
    ) -> Promise<T> { ensureThen(on: .main) { MainActor.assumeIsolated(body) } }
}

extension Thenable where T == Void {
    /// Recovers from an error, including cancellation, on the main actor, so that the chain can no longer fail.
    @discardableResult public func recover(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (any Error) -> Void
    ) -> Guarantee<Void> { recover(on: .main, isolated(body)) }

    /// Recovers from an error on the main actor, unless `body` throws.
    public func recover(
        on actor: MainActor, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (any Error) throws -> Void
    ) -> Promise<Void> { recover(on: .main, policy: policy, isolated(body)) }

    /// Recovers from errors of one type on the main actor. Other errors are passed on.
    public func recover<E: Error>(
        only type: E.Type, on actor: MainActor, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (E) throws -> Void
    ) -> Promise<Void> { recover(only: type, on: .main, policy: policy, isolated(body)) }

    /// Recovers from one error on the main actor. Other errors are passed on.
    public func recover<E: Error & Equatable>(
        only wanted: E, on actor: MainActor, _ body: @escaping @MainActor @Sendable (E) throws -> Void
    ) -> Promise<Void> { recover(only: wanted, on: .main, isolated(body)) }

    /// Runs `body` on the main actor at the end of a chain, regardless of the outcome.
    public func finally(on actor: MainActor, _ body: @escaping @MainActor @Sendable () -> Void) {
        _ = ensure(on: actor, body)
    }
}

extension Thenable where T: Sequence, T.Element: Sendable {
    /// Transforms each element on the main actor.
    public func mapValues<U: Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) throws -> U
    ) -> Promise<[U]> { mapValues(on: .main, isolated(transform)) }

    /// Transforms each element into a sequence on the main actor, and concatenates the results.
    public func flatMapValues<U: Sequence & Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) throws -> U
    ) -> Promise<[U.Element]> where U.Element: Sendable { flatMapValues(on: .main, isolated(transform)) }

    /// Transforms each element on the main actor, leaving out nil results.
    public func compactMapValues<U: Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) throws -> U?
    ) -> Promise<[U]> { compactMapValues(on: .main, isolated(transform)) }

    /// Creates a promise from each element on the main actor, and waits for all of them.
    public func thenMap<V, U: Thenable<V>>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) throws -> U
    ) -> Promise<[V]> { thenMap(on: .main, isolated(transform)) }

    /// Creates a promise from each element on the main actor, waits for all of them, and concatenates their values.
    public func thenFlatMap<V, U: Thenable<V>>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) throws -> U
    ) -> Promise<[V.Element]> where V: Sequence, V.Element: Sendable { thenFlatMap(on: .main, isolated(transform)) }

    /// Keeps the elements for which `isIncluded`, called on the main actor, returns true.
    public func filterValues(
        on actor: MainActor, _ isIncluded: @escaping @MainActor @Sendable (T.Element) -> Bool
    ) -> Promise<[T.Element]> { filterValues(on: .main, isolated(isIncluded)) }
}

extension Thenable where T: Collection, T.Element: Sendable {
    /// Returns a promise for the first element for which `isWanted`, called on the main actor, returns true.
    public func firstValue(
        on actor: MainActor, where isWanted: @escaping @MainActor @Sendable (T.Element) -> Bool
    ) -> Promise<T.Element> { firstValue(on: .main, where: isolated(isWanted)) }
}
