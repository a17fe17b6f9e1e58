import Dispatch

// For user interfaces: every verb that takes a closure has a twin for closures of the main actor, which may touch what is
// its own: `.done(on: MainActor.shared) { self.label = $0 }`. They are in the order of the plain ones, which have the rest
// of what there is to say.

/// A closure of the main actor, as one for the main queue.
func isolated<Input: Sendable, Output: Sendable>(
    _ body: @escaping @MainActor @Sendable (Input) throws -> Output
) -> @Sendable (Input) throws -> Output {
    { input in try MainActor.assumeIsolated { try body(input) } }
}

/// A closure of the main actor that does not throw, as one for the main queue.
func isolated<Input: Sendable, Output: Sendable>(
    _ body: @escaping @MainActor @Sendable (Input) -> Output
) -> @Sendable (Input) -> Output {
    { input in MainActor.assumeIsolated { body(input) } }
}

extension Thenable {
    /// Continues with another promise, made from the value on the main actor.
    public func then<U: Thenable>(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (T) throws -> U
    ) -> Promise<U.T> { then(on: .main, isolated(body)) }

    /// Turns the value into another on the main actor.
    public func map<U: Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T) throws -> U
    ) -> Promise<U> { map(on: .main, isolated(transform)) }

    /// Turns the value into another, where there is one, on the main actor.
    public func compactMap<U: Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T) throws -> U?
    ) -> Promise<U> { compactMap(on: .main, isolated(transform)) }

    /// Uses the value on the main actor, at the end of a chain.
    public func done(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (T) throws -> Void
    ) -> Promise<Void> { done(on: .main, isolated(body)) }

    /// Looks at the value on the main actor as it passes by.
    public func get(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (T) throws -> Void
    ) -> Promise<T> { get(on: .main, isolated(body)) }

    /// Looks at the outcome on the main actor as it passes by.
    public func tap(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (Result<T, any Error>) -> Void
    ) -> Promise<T> { tap(on: .main, isolated(body)) }

    /// Handles the error a chain ends with on the main actor.
    @discardableResult public func `catch`(
        on actor: MainActor, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (any Error) -> Void
    ) -> Promise<Void> { `catch`(on: .main, policy: policy, isolated(body)) }

    /// Handles errors of one type on the main actor; others go on to the next `catch`.
    public func `catch`<E: Error>(
        only type: E.Type, on actor: MainActor, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (E) -> Void
    ) -> Promise<Void> { `catch`(only: type, on: .main, policy: policy, isolated(body)) }

    /// Handles one error on the main actor; others go on to the next `catch`.
    public func `catch`<E: Error & Equatable>(
        only wanted: E, on actor: MainActor, _ body: @escaping @MainActor @Sendable (E) -> Void
    ) -> Promise<Void> { `catch`(only: wanted, on: .main, isolated(body)) }

    /// Turns an error into a guarantee on the main actor; a value passes by.
    public func recover(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (any Error) -> Guarantee<T>
    ) -> Guarantee<T> { recover(on: .main, isolated(body)) }

    /// Turns an error into another promise on the main actor; a value passes by.
    public func recover<U: Thenable>(
        on actor: MainActor, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (any Error) throws -> U
    ) -> Promise<T> where U.T == T { recover(on: .main, policy: policy, isolated(body)) }

    /// Turns errors of one type into another promise on the main actor; other errors and values pass by.
    public func recover<U: Thenable, E: Error>(
        only type: E.Type, on actor: MainActor, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T { recover(only: type, on: .main, policy: policy, isolated(body)) }

    /// Turns one error into another promise on the main actor; other errors and values pass by.
    public func recover<U: Thenable, E: Error & Equatable>(
        only wanted: E, on actor: MainActor, _ body: @escaping @MainActor @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T { recover(only: wanted, on: .main, isolated(body)) }

    /// Turns an error into another error on the main actor; a value passes by.
    public func mapError(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (any Error) -> any Error
    ) -> Promise<T> { mapError(on: .main, isolated(transform)) }

    /// Runs `body` on the main actor whatever the outcome, which passes by unchanged.
    public func ensure(on actor: MainActor, _ body: @escaping @MainActor @Sendable () -> Void) -> Promise<T> {
        ensure(on: .main) { MainActor.assumeIsolated(body) }
    }

    /// Waits for what `body` begins on the main actor whatever the outcome, which then passes by unchanged.
    public func ensureThen(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable () -> Guarantee<Void>
    ) -> Promise<T> { ensureThen(on: .main) { MainActor.assumeIsolated(body) } }
}

extension Thenable where T == Void {
    /// Handles an error on the main actor and goes on; after this, nothing can go wrong.
    @discardableResult public func recover(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (any Error) -> Void
    ) -> Guarantee<Void> { recover(on: .main, isolated(body)) }

    /// Handles an error on the main actor and goes on, unless `body` throws.
    public func recover(
        on actor: MainActor, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (any Error) throws -> Void
    ) -> Promise<Void> { recover(on: .main, policy: policy, isolated(body)) }

    /// Handles errors of one type on the main actor and goes on; other errors pass by.
    public func recover<E: Error>(
        only type: E.Type, on actor: MainActor, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (E) throws -> Void
    ) -> Promise<Void> { recover(only: type, on: .main, policy: policy, isolated(body)) }

    /// Handles one error on the main actor and goes on; other errors pass by.
    public func recover<E: Error & Equatable>(
        only wanted: E, on actor: MainActor, _ body: @escaping @MainActor @Sendable (E) throws -> Void
    ) -> Promise<Void> { recover(only: wanted, on: .main, isolated(body)) }

    /// Runs `body` on the main actor at the very end, whatever the outcome.
    public func finally(on actor: MainActor, _ body: @escaping @MainActor @Sendable () -> Void) {
        _ = ensure(on: actor, body)
    }
}

extension Thenable where T: Sequence, T.Element: Sendable {
    /// Turns each element into another on the main actor.
    public func mapValues<U: Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) throws -> U
    ) -> Promise<[U]> { mapValues(on: .main, isolated(transform)) }

    /// Turns each element into several on the main actor, and joins them.
    public func flatMapValues<U: Sequence & Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) throws -> U
    ) -> Promise<[U.Element]> where U.Element: Sendable { flatMapValues(on: .main, isolated(transform)) }

    /// Turns each element into another on the main actor, leaving out nil.
    public func compactMapValues<U: Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) throws -> U?
    ) -> Promise<[U]> { compactMapValues(on: .main, isolated(transform)) }

    /// Makes a promise from each element on the main actor, and waits for all.
    public func thenMap<U: Thenable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) throws -> U
    ) -> Promise<[U.T]> { thenMap(on: .main, isolated(transform)) }

    /// Makes a promise from each element on the main actor, waits for all, and joins their lists.
    public func thenFlatMap<U: Thenable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) throws -> U
    ) -> Promise<[U.T.Element]> where U.T: Sequence, U.T.Element: Sendable {
        thenFlatMap(on: .main, isolated(transform))
    }

    /// The elements for which `isIncluded`, asked on the main actor, is true.
    public func filterValues(
        on actor: MainActor, _ isIncluded: @escaping @MainActor @Sendable (T.Element) -> Bool
    ) -> Promise<[T.Element]> { filterValues(on: .main, isolated(isIncluded)) }
}

extension Thenable where T: Collection, T.Element: Sendable {
    /// The first element for which `isWanted`, asked on the main actor, is true.
    public func firstValue(
        on actor: MainActor, where isWanted: @escaping @MainActor @Sendable (T.Element) -> Bool
    ) -> Promise<T.Element> { firstValue(on: .main, where: isolated(isWanted)) }
}
