import Dispatch

// Handlers for values. PledgePromiseKit.swift explains how they differ from Pledge's methods of the same names.
@_spi(PromiseKit) extension Thenable {
    /// Continues with the promise that `body` returns for the value.
    @preconcurrency public func then<V, U: Thenable<V>>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<V> { then(on: queue, flags: nil, body) }

    /// Transforms the value with a closure.
    @preconcurrency public func map<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<U> { map(on: queue, flags: nil, body) }

    /// Transforms the value with a closure. If the result is nil, the promise rejects with
    /// ``PMKError/compactMap(_:_:)``.
    @preconcurrency public func compactMap<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (T) throws -> U?
    ) -> Promise<U> {
        map(on: queue, flags: nil) { value in
            guard let found = try body(value) else { throw PMKError.compactMap(value, U.self) }
            return found
        }
    }

    /// Calls `body` with the value, at the end of a chain.
    @preconcurrency public func done(
        on queue: DispatchQueue? = conf.Q.return, _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<Void> { done(on: queue, flags: nil, body) }

    /// Calls `body` with the value, and then passes the value on.
    @preconcurrency public func get(
        on queue: DispatchQueue? = conf.Q.return, _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<T> { get(on: queue, flags: nil, body) }

    /// Calls `body` with the outcome, and then passes the outcome on.
    @preconcurrency public func tap(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (Result<T>) -> Void
    ) -> Promise<T> { tap(on: queue, flags: nil) { body(Result($0)) } }
}

@_spi(PromiseKit) extension Unfailing {
    /// Continues with the guarantee that `body` returns for the value.
    @preconcurrency @discardableResult public func then<V, U: Unfailing<V>>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (T) -> U
    ) -> Guarantee<V> { guarantee.then(on: queue, flags: nil, body) }

    /// Transforms the value with a closure.
    @preconcurrency public func map<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (T) -> U
    ) -> Guarantee<U> { guarantee.map(on: queue, flags: nil, body) }

    /// Calls `body` with the value, at the end of a chain.
    @preconcurrency @discardableResult public func done(
        on queue: DispatchQueue? = conf.Q.return, _ body: @escaping @Sendable (T) -> Void
    ) -> Guarantee<Void> { guarantee.done(on: queue, flags: nil, body) }

    /// Calls `body` with the value, and then passes the value on.
    @preconcurrency public func get(
        on queue: DispatchQueue? = conf.Q.return, _ body: @escaping @Sendable (T) -> Void
    ) -> Guarantee<T> { guarantee.get(on: queue, flags: nil, body) }
}

extension Unfailing {
    // The handlers above are declared on the protocol and not on `Guarantee`. Otherwise, in the Swift 5 language mode,
    // the compiler would choose the handlers of `Promise` for a guarantee whose value isn't `Sendable`.
    var guarantee: Guarantee<T> { Guarantee(_unfailing: _promise) }
}

// Handlers for the elements of a list. PledgePromiseKit.swift explains how they differ from Pledge's methods of the
// same names.
@_spi(PromiseKit) extension Thenable {
    /// Transforms each element of the list with a closure.
    @preconcurrency public func mapValues<E, U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<[U]> where T: Sequence<E> { mapValues(on: queue, flags: nil, body) }

    /// Transforms each element of the list into a sequence, and concatenates the sequences.
    @preconcurrency public func flatMapValues<E, U: Sequence & Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<[U.Element]> where T: Sequence<E>, U.Element: Sendable { flatMapValues(on: queue, flags: nil, body) }

    /// Transforms each element of the list with a closure, and leaves out the results that are nil.
    @preconcurrency public func compactMapValues<E, U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) throws -> U?
    ) -> Promise<[U]> where T: Sequence<E> { compactMapValues(on: queue, flags: nil, body) }

    /// Creates a promise from each element of the list, and waits for all of these promises.
    @preconcurrency public func thenMap<E, V, U: Thenable<V>>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<[V]> where T: Sequence<E> { thenMap(on: queue, flags: nil, body) }

    /// Creates a promise from each element of the list, waits for all of these promises, and concatenates their values.
    @preconcurrency public func thenFlatMap<E, V, U: Thenable<V>>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<[V.Element]> where T: Sequence<E>, V: Sequence, V.Element: Sendable {
        thenFlatMap(on: queue, flags: nil, body)
    }

    /// Keeps the elements of the list for which `body` returns true.
    @preconcurrency public func filterValues<E: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) -> Bool
    ) -> Promise<[E]> where T: Sequence<E> { filterValues(on: queue, flags: nil, body) }
}

@_spi(PromiseKit) extension Thenable {
    /// Returns a promise for the first element of the list for which `body` returns true.
    @preconcurrency public func firstValue<E: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, where body: @escaping @Sendable (E) -> Bool
    ) -> Promise<E> where T: Collection<E> { firstValue(on: queue, flags: nil, where: body) }
}

@_spi(PromiseKit) extension Unfailing {
    /// Transforms each element of the list with a closure.
    @preconcurrency public func mapValues<E, U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) -> U
    ) -> Guarantee<[U]> where T: Sequence<E> { guarantee.mapValues(on: queue, flags: nil, body) }

    /// Transforms each element of the list into a sequence, and concatenates the sequences.
    @preconcurrency public func flatMapValues<E, U: Sequence & Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) -> U
    ) -> Guarantee<[U.Element]> where T: Sequence<E>, U.Element: Sendable {
        guarantee.flatMapValues(on: queue, flags: nil, body)
    }

    /// Transforms each element of the list with a closure, and leaves out the results that are nil.
    @preconcurrency public func compactMapValues<E, U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) -> U?
    ) -> Guarantee<[U]> where T: Sequence<E> { guarantee.compactMapValues(on: queue, flags: nil, body) }

    /// Creates a guarantee from each element of the list, and waits for all of these guarantees.
    @preconcurrency public func thenMap<E, V, U: Unfailing<V>>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) -> U
    ) -> Guarantee<[V]> where T: Sequence<E> { guarantee.thenMap(on: queue, flags: nil, body) }

    /// Creates a guarantee from each element of the list, waits for all of these guarantees, and concatenates their
    /// values.
    @preconcurrency public func thenFlatMap<E, V: Sequence, U: Unfailing<V>>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) -> U
    ) -> Guarantee<[V.Element]> where T: Sequence<E>, V.Element: Sendable {
        guarantee.thenFlatMap(on: queue, flags: nil, body)
    }

    /// Keeps the elements of the list for which `body` returns true.
    @preconcurrency public func filterValues<E: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) -> Bool
    ) -> Guarantee<[E]> where T: Sequence<E> { guarantee.filterValues(on: queue, flags: nil, body) }

    /// Sorts the elements of the list. The closure returns whether its first argument comes before its second argument.
    @preconcurrency public func sortedValues<E: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ areInIncreasingOrder: @escaping @Sendable (E, E) -> Bool
    ) -> Guarantee<[E]> where T: Sequence<E> {
        guarantee.map(on: queue, flags: nil) { $0.sorted(by: areInIncreasingOrder) }
    }
}

// Handlers for errors. PledgePromiseKit.swift explains how they differ from Pledge's methods of the same names.
@_spi(PromiseKit) extension Thenable {
    /// Handles the error that a chain ends with.
    @preconcurrency @discardableResult public func `catch`(
        on queue: DispatchQueue? = conf.Q.return, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (any Error) -> Void
    ) -> Promise<Void> { `catch`(on: queue, flags: nil, policy: policy) { body(PMKError.from($0)) } }

    /// Handles errors of one type. Any other error goes on to the next `catch`.
    @preconcurrency public func `catch`<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = conf.Q.return, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> {
        handle(on: queue, flags: nil) { error in
            guard let error = PMKError.from(error) as? E else { return false }
            guard policy == .allErrors || !error.isCancelled else { return false }
            body(error)
            return true
        }
    }

    /// Handles one error. Any other error goes on to the next `catch`.
    @preconcurrency public func `catch`<E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = conf.Q.return, _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> { `catch`(only: wanted, on: queue, flags: nil, body) }

    /// Recovers from an error with the guarantee that `body` returns, so that the chain can't fail. A value is passed
    /// on.
    @preconcurrency public func recover(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (any Error) -> Guarantee<T>
    ) -> Guarantee<T> { recover(on: queue, flags: nil) { body(PMKError.from($0)) } }

    /// Recovers from an error with the promise that `body` returns. A value is passed on.
    @preconcurrency public func recover<U: Thenable>(
        on queue: DispatchQueue? = conf.Q.map, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (any Error) throws -> U
    ) -> Promise<T> where U.T == T { recover(on: queue, flags: nil, policy: policy) { try body(PMKError.from($0)) } }

    /// Recovers from errors of one type with the promise that `body` returns. Values and other errors are passed on.
    @preconcurrency public func recover<U: Thenable, E: Error>(
        only type: E.Type, on queue: DispatchQueue? = conf.Q.map, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T {
        recover(on: queue, flags: nil, policy: policy) { error -> Promise<T> in
            guard let known = PMKError.from(error) as? E else { throw error }
            return try body(known)._promise
        }
    }

    /// Recovers from one error with the promise that `body` returns. Values and other errors are passed on.
    @preconcurrency public func recover<U: Thenable, E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T { recover(only: wanted, on: queue, flags: nil, body) }

    /// Runs `body` after a value, an error, or a cancel, and then passes the outcome on.
    @preconcurrency public func ensure(
        on queue: DispatchQueue? = conf.Q.return, _ body: @escaping @Sendable () -> Void
    ) -> Promise<T> { ensure(on: queue, flags: nil, body) }

    /// Runs `body` after a value, an error, or a cancel, waits for the guarantee that `body` returns, and then passes
    /// the outcome on.
    @preconcurrency public func ensureThen(
        on queue: DispatchQueue? = conf.Q.return, _ body: @escaping @Sendable () -> Guarantee<Void>
    ) -> Promise<T> { ensureThen(on: queue, flags: nil, body) }
}

@_spi(PromiseKit) extension Thenable where T == Void {
    /// Recovers from an error by calling `body`. After that, the chain can't fail.
    @preconcurrency @discardableResult public func recover(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (any Error) -> Void
    ) -> Guarantee<Void> { recover(on: queue, flags: nil) { body(PMKError.from($0)) } }

    /// Recovers from an error by calling `body`. If `body` throws, the chain fails with the thrown error.
    @preconcurrency public func recover(
        on queue: DispatchQueue? = conf.Q.map, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (any Error) throws -> Void
    ) -> Promise<Void> { recover(on: queue, flags: nil, policy: policy) { try body(PMKError.from($0)) } }

    /// Recovers from errors of one type by calling `body`. Other errors are passed on.
    @preconcurrency public func recover<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = conf.Q.map, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> { recover(only: type, on: queue, policy: policy) { Promise.value(try body($0)) } }

    /// Recovers from one error by calling `body`. Other errors are passed on.
    @preconcurrency public func recover<E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> { recover(only: wanted, on: queue, flags: nil, body) }

    /// Runs `body` at the end of a chain, whether the chain succeeds, fails, or is canceled.
    @preconcurrency public func finally(
        on queue: DispatchQueue? = conf.Q.return, _ body: @escaping @Sendable () -> Void
    ) { finally(on: queue, flags: nil, body) }
}
