import Dispatch

// The operators are disfavored overloads. In a file that imports PledgePromiseKit, PromiseKit's forms of the same operators
// are preferred. In all other files, the attribute has no effect.

/// Begins a chain with the promise that a closure returns. `firstly` only serves style: the first step of the chain is
/// indented like the others.
///
/// The closure runs immediately, on the calling thread. If the closure throws an error, the chain rejects with that
/// error.
@inlinable public func firstly<V, U: Thenable<V>>(execute body: () throws -> U) -> Promise<V> {
    do { return try body()._promise } catch { return Promise(error: error) }
}

/// Begins a chain with the guarantee that a closure returns. The chain can't fail. The closure runs immediately, on the
/// calling thread.
public func firstly<V>(execute body: () -> Guarantee<V>) -> Guarantee<V> { body() }

extension Thenable {
    /// Continues with the promise that `body` returns for the value. The promise that this method returns then settles
    /// in the same way as `body`'s promise.
    ///
    /// `body` runs on the queue, as the closure of ``map(on:flags:_:)`` does.
    ///
    /// - Rejects: With this promise's error, without calling `body`; with the error that `body` throws; or with the
    ///   error of the promise that `body` returns. If `body` returns the very promise that this method has returned,
    ///   the error is ``PromiseError/returnedSelf``.
    /// - Cancellation: Propagates to this promise or, once `body` has run, to the promise that `body` returned.
    @_disfavoredOverload @inlinable public func then<V, U: Thenable<V>>(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<V> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .values) { next in
            promise._pass(to: next) { next, value in next.follow(try body(value)._promise) }
        }
    }

    /// Continues with the promise that `body` returns for the value, on the default queue; see ``then(on:flags:_:)``.
    ///
    /// This overload exists for the sake of compiler messages. Because there are two overloads, the compiler determines
    /// the types of the chain before it checks the closure. So if there is a mistake in the closure, the compiler
    /// reports it there.
    @_disfavoredOverload @inlinable public func then<V, U: Thenable<V>>(
        _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<V> { then(on: .configured, body) }
}

extension Thenable {
    /// Transforms the value with a closure.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `transform` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item that is submitted to the queue.
    ///   - transform: A closure that returns the new value.
    /// - Rejects: With this promise's error, without calling `transform`, or with the error that `transform` throws.
    /// - Cancellation: Propagates to this promise. This is true for every operator whose documentation doesn't say
    ///   otherwise.
    @_disfavoredOverload @inlinable public func map<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T) throws -> U
    ) -> Promise<U> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .values) { next in
            promise._pass(to: next) { next, value in next.fulfill(try transform(value)) }
        }
    }

    /// Transforms the value, as ``map(on:flags:_:)`` does. If the result is nil, the promise rejects with
    /// ``PromiseError/compactMap(type:)``.
    @_disfavoredOverload public func compactMap<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T) throws -> U?
    ) -> Promise<U> {
        map(on: queue, flags: flags) { value in
            guard let found = try transform(value) else { throw PromiseError.compactMap(type: "\(U.self)") }
            return found
        }
    }

    /// Returns a promise that settles in the same way as this promise, but without its value.
    @inlinable public func asVoid() -> Promise<Void> { map(on: nil) { _ in } }
}

extension Thenable {
    /// Calls `body` with the value, at the end of a chain. `body` runs on the queue, as the closure of
    /// ``map(on:flags:_:)`` does.
    ///
    /// - Returns: A promise that is fulfilled when `body` has run. Call `catch` on it to handle errors.
    @_disfavoredOverload @inlinable public func done(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<Void> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, [.values, .end]) { next in
            promise._pass(to: next) { next, value in next.fulfill(try body(value)) }
        }
    }

    /// Calls `body` with the value, as ``done(on:flags:_:)`` does, and then passes the value on.
    @_disfavoredOverload @inlinable public func get(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<T> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .values) { next in
            promise._pass(to: next) { (next: ValueStorage<T?>, value) in
                try body(value)
                next.fulfill(value)
            }
        }
    }

    /// Calls `body` with the outcome, and then passes the outcome on. If the outcome is an error, the error doesn't
    /// count as handled.
    @_disfavoredOverload public func tap(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (Result<T, any Error>) -> Void
    ) -> Promise<T> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .outcomes) { next in
            promise.hand(to: next) { (next: ValueStorage<T?>, outcome) in
                body(outcome)
                next.settle(as: outcome)
            }
        }
    }
}

// In these methods, the type of an element is a generic parameter of its own (`E`). So if there is a mistake in the
// rest of a chain, the compiler reports that mistake. Without the parameter, the compiler would say that the value
// isn't a sequence.
extension Thenable {
    /// Transforms each element of the list with a closure. The closure runs on the queue, as the closure of
    /// ``map(on:flags:_:)`` does.
    @_disfavoredOverload public func mapValues<E, U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U
    ) -> Promise<[U]> where T: Sequence<E> { map(on: queue, flags: flags) { try $0.map(transform) } }

    /// Transforms each element of the list into a sequence, and concatenates the sequences; see
    /// ``mapValues(on:flags:_:)``.
    @_disfavoredOverload public func flatMapValues<E, U: Sequence & Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U
    ) -> Promise<[U.Element]> where T: Sequence<E>, U.Element: Sendable {
        map(on: queue, flags: flags) { try $0.flatMap(transform) }
    }

    /// Transforms each element of the list, and leaves out the results that are nil; see ``mapValues(on:flags:_:)``.
    @_disfavoredOverload public func compactMapValues<E, U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U?
    ) -> Promise<[U]> where T: Sequence<E> { map(on: queue, flags: flags) { try $0.compactMap(transform) } }

    /// Creates a promise from each element of the list, waits for all of these promises, and collects their values in
    /// the order of the elements. `transform` runs on the queue, as the closure of ``map(on:flags:_:)`` does.
    ///
    /// - Rejects: With the first error. If `transform` throws, no more promises are created. The promises that were
    ///   already created continue, but their outcomes are ignored.
    /// - Cancellation: Propagates to this promise or, once `transform` has run, to the promises that it returned.
    @_disfavoredOverload public func thenMap<E, V, U: Thenable<V>>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U
    ) -> Promise<[V]> where T: Sequence<E> {
        then(on: queue, flags: flags) { when(fulfilled: promises(from: $0, transform)) }
    }

    /// Creates a promise from each element of the list, waits for all of these promises, and concatenates their values;
    /// see ``thenMap(on:flags:_:)``.
    @_disfavoredOverload public func thenFlatMap<E, V, U: Thenable<V>>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U
    ) -> Promise<[V.Element]> where T: Sequence<E>, V: Sequence, V.Element: Sendable {
        thenMap(on: queue, flags: flags, transform).map(on: nil) { $0.flatMap { $0 } }
    }

    /// Keeps the elements of the list for which `isIncluded` returns true; see ``mapValues(on:flags:_:)``.
    @_disfavoredOverload public func filterValues<E: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ isIncluded: @escaping @Sendable (E) -> Bool
    ) -> Promise<[E]> where T: Sequence<E> { map(on: queue, flags: flags) { $0.filter(isIncluded) } }

    /// Returns a promise for the first element of the list that satisfies `isWanted`.
    ///
    /// - Rejects: With this promise's error, or with ``PromiseError/emptySequence`` if no element satisfies `isWanted`.
    @_disfavoredOverload public func firstValue<E: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        where isWanted: @escaping @Sendable (E) -> Bool
    ) -> Promise<E> where T: Collection<E> {
        map(on: queue, flags: flags) { list in
            guard let first = list.first(where: isWanted) else { throw PromiseError.emptySequence }
            return first
        }
    }
}

/// Creates a promise from each element. If `transform` throws, no more promises are created, and the last promise is one
/// that is rejected with the error. The code that waits for all of these promises then also handles the errors of those
/// that were created before.
func promises<E, V, U: Thenable<V>>(from elements: some Sequence<E>, _ transform: (E) throws -> U) -> [Promise<V>] {
    var promises: [Promise<V>] = []
    do {
        for element in elements { promises.append(try transform(element)._promise) }
    } catch {
        promises.append(Promise(error: error))
    }
    return promises
}

extension Thenable where T: Collection, T.Element: Sendable {
    /// A promise for the first element of the list. If the list is empty, it rejects with
    /// ``PromiseError/emptySequence``.
    public var firstValue: Promise<T.Element> { firstValue(on: nil) { _ in true } }

    /// A promise for the last element of the list. If the list is empty, it rejects with
    /// ``PromiseError/emptySequence``.
    public var lastValue: Promise<T.Element> {
        // `suffix` needs only one pass, even through a collection that can't be traversed backward.
        map(on: nil) { Array($0.suffix(1)) }.firstValue
    }
}

extension Thenable where T: Sequence, T.Element: Comparable & Sendable {
    /// Sorts the elements of the list in ascending order.
    @_disfavoredOverload public func sortedValues(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil
    ) -> Promise<[T.Element]> { map(on: queue, flags: flags) { $0.sorted() } }
}

extension Thenable {
    /// Returns a separate promise for one of several callers. The returned promise settles in the same way as this
    /// promise, but if a caller cancels it, the other callers aren't affected.
    ///
    /// ```swift
    /// let profile = profiles[id] ?? load(id)   // a promise that is kept for everyone who asks
    /// return profile.shared()
    /// ```
    ///
    /// - Cancellation: Canceling the returned promise doesn't cancel this promise, even if all callers cancel theirs.
    ///   To stop the work, cancel this promise.
    public func shared() -> Promise<T> {
        _promise.storage.withState { $0.set(.shared) }
        return Promise(self)
    }
}

extension Thenable {
    /// Continues with the promise that `body` returns for the outcome, which is a value or an error. If the chain is
    /// canceled at this step, `body` isn't called. By contrast, the closure after ``settled()`` is called even then.
    package func thenSettled<V>(
        on queue: DispatchQueue?, _ body: @escaping @Sendable (Result<T, any Error>) throws -> Promise<V>
    ) -> Promise<V> {
        let promise = _promise
        return promise._chain(on: queue, flags: nil, .outcomes) { next in
            promise.hand(to: next) { next, outcome in next.follow(try body(outcome)) }
        }
    }

    /// Returns a guarantee for the outcome. With this guarantee, a chain can continue in the same way after a value and
    /// after an error.
    public func settled() -> Guarantee<Result<T, any Error>> {
        let promise = _promise
        return Guarantee(
            _unfailing: promise._chain(on: nil, flags: nil, .outcomes) { next in
                next.typed().fulfill(promise._outcome)
            })
    }
}

extension Thenable {
    /// Handles the error that a chain ends with.
    ///
    /// `body` runs on the queue, as the closure of ``map(on:flags:_:)`` does. The policy says whether a cancellation
    /// counts as an error. By default it doesn't, so `body` isn't called after a cancel. Put code that must always run
    /// into `ensure` or `finally`.
    ///
    /// - Returns: A promise that is fulfilled when the chain has ended, whether or not there was an error.
    @_disfavoredOverload @discardableResult public func `catch`(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @Sendable (any Error) -> Void
    ) -> Promise<Void> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, [.errors, .end]) { next in
            promise.hand(to: next) { (next: ValueStorage<Void?>, outcome) in
                var isSkipped = false
                if case .failure(let error) = outcome {
                    isSkipped = policy != .allErrors && error.isCancelled
                    if !isSkipped { body(error) }
                }
                next.fulfill(())
                // The mark says that what `body` has captured is released as part of a canceled chain.
                if isSkipped { next.withState { $0.set(.cancelled) } }
            }
        }
    }

    /// Handles errors of one type. Any other error rejects the returned promise, so that the next `catch` can handle
    /// it.
    @_disfavoredOverload public func `catch`<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy, _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> {
        handle(on: queue, flags: flags) { error in
            guard let error = error as? E, policy == .allErrors || !error.isCancelled else { return false }
            body(error)
            return true
        }
    }

    /// Handles one error, which may be a cancellation. Any other error rejects the returned promise, so that the next
    /// `catch` can handle it.
    @_disfavoredOverload public func `catch`<E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> {
        handle(on: queue, flags: flags) { error in
            guard let error = error as? E, error == wanted else { return false }
            body(error)
            return true
        }
    }

    /// Calls a closure with an error. If it returns false, the error rejects the returned promise.
    package func handle(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?,
        _ attempt: @escaping @Sendable (any Error) -> Bool
    ) -> Promise<Void> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, [.errors, .end]) { next in
            promise.hand(to: next) { (next: ValueStorage<Void?>, outcome) in
                if case .failure(let error) = outcome, !attempt(error) { throw error }
                next.fulfill(())
            }
        }
    }

    /// Ends a chain without a `catch`. An error is reported to the log handler.
    @discardableResult public func cauterize() -> Promise<Void> {
        `catch` { PromiseConfiguration.log(.cauterized($0)) }
    }
}

extension Thenable {
    /// Recovers from an error, including cancellation, with the guarantee that `body` returns. A value is passed on.
    ///
    /// - Cancellation: Propagates to this promise. When this promise rejects, `body` is called.
    @_disfavoredOverload public func recover(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (any Error) -> Guarantee<T>
    ) -> Guarantee<T> {
        let promise = _promise
        return Guarantee<T>(
            _unfailing: promise._chain(on: queue, flags: flags, .errors) { next in
                promise.hand(to: next) { (next: ValueStorage<T?>, outcome) in
                    switch outcome {
                    case .success: next.settle(as: outcome)
                    case .failure(let error): next.follow(body(error)._promise)
                    }
                }
            })
    }

    /// Recovers from an error with the promise that `body` returns. A value is passed on.
    ///
    /// The policy says whether `body` is also called after a cancellation. By default it isn't, and the cancellation is
    /// passed on.
    ///
    /// - Cancellation: Propagates to this promise or, once `body` has run, to the promise that `body` returned.
    @_disfavoredOverload public func recover<U: Thenable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @Sendable (any Error) throws -> U
    ) -> Promise<T> where U.T == T {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .errors) { next in
            promise.hand(to: next) { (next: ValueStorage<T?>, outcome) in
                guard case .failure(let error) = outcome, policy == .allErrors || !error.isCancelled else {
                    return next.settle(as: outcome)
                }
                next.follow(try body(error)._promise)
            }
        }
    }

    /// Transforms an error, including cancellation. A value is passed on. `transform` runs on the queue, as the closure
    /// of ``map(on:flags:_:)`` does.
    @_disfavoredOverload public func mapError(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (any Error) -> any Error
    ) -> Promise<T> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .errors) { next in
            promise.hand(to: next) { (next: ValueStorage<T?>, outcome) in next.settle(as: outcome.mapError(transform))
            }
        }
    }

    // Overloads that handle only some errors. The methods above have the complete documentation.

    /// Recovers from errors of one type with the promise that `body` returns. Values and other errors are passed on.
    @_disfavoredOverload public func recover<U: Thenable, E: Error>(
        only type: E.Type, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy, _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T {
        recover(on: queue, flags: flags, policy: policy) { error -> Promise<T> in
            guard let error = error as? E else { throw error }
            return try body(error)._promise
        }
    }

    /// Recovers from one error, which may be a cancellation, with the promise that `body` returns. Values and other
    /// errors are passed on.
    @_disfavoredOverload public func recover<U: Thenable, E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T {
        recover(on: queue, flags: flags, policy: .allErrors) { error -> Promise<T> in
            guard let error = error as? E, error == wanted else { throw error }
            return try body(error)._promise
        }
    }
}

// The same operators for promises without a value. Their closures return nothing: the chain continues when the closure
// returns.
extension Thenable where T == Void {
    /// Recovers from an error, including cancellation, by calling `body`. After that, the chain can't fail.
    @_disfavoredOverload @discardableResult public func recover(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (any Error) -> Void
    ) -> Guarantee<Void> { recover(on: queue, flags: flags) { error -> Guarantee<Void> in .value(body(error)) } }

    /// Recovers from an error by calling `body`. If `body` throws, the chain fails with the thrown error.
    @_disfavoredOverload public func recover(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @Sendable (any Error) throws -> Void
    ) -> Promise<Void> {
        recover(on: queue, flags: flags, policy: policy) { error -> Promise<Void> in .value(try body(error)) }
    }

    /// Recovers from errors of one type by calling `body`. Other errors are passed on.
    @_disfavoredOverload public func recover<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy, _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> {
        recover(only: type, on: queue, flags: flags, policy: policy) { e -> Promise<Void> in .value(try body(e)) }
    }

    /// Recovers from one error, which may be a cancellation, by calling `body`. Other errors are passed on.
    @_disfavoredOverload public func recover<E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> {
        recover(only: wanted, on: queue, flags: flags) { error -> Promise<Void> in .value(try body(error)) }
    }
}

extension Thenable {
    /// Runs `body` after a value, an error, or a cancel, and then passes the outcome on. `body` runs on the queue, as
    /// the closure of ``map(on:flags:_:)`` does.
    ///
    /// - Cancellation: Propagates to this promise. `body` still runs, and later steps of the chain wait until it has
    ///   run.
    @_disfavoredOverload public func ensure(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable () -> Void
    ) -> Promise<T> {
        _promise.always(on: queue, flags: flags) {
            body()
            return Guarantee()
        }
    }

    /// Runs `body`, as ``ensure(on:flags:_:)`` does, waits for the guarantee that `body` returns, and then passes the
    /// outcome on.
    ///
    /// - Cancellation: Propagates to this promise, but not to the guarantee that `body` returns. `body` still runs, and
    ///   later steps of the chain wait for that guarantee.
    @_disfavoredOverload public func ensureThen(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable () -> Guarantee<Void>
    ) -> Promise<T> { _promise.always(on: queue, flags: flags, body) }
}

extension Thenable where T == Void {
    /// Runs `body` at the end of a chain, whether the chain succeeds, fails, or is canceled; see
    /// ``ensure(on:flags:_:)``.
    @_disfavoredOverload public func finally(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable () -> Void
    ) { _ = ensure(on: queue, flags: flags, body) }
}

extension Promise {
    /// Returns a promise that settles once `body` has run and the guarantee that `body` returned is fulfilled. The
    /// returned promise settles in the same way as this promise. If the returned promise was canceled, it rejects as
    /// canceled.
    func always(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?,
        _ body: @escaping @Sendable () -> Guarantee<Void>
    ) -> Promise<T> {
        let promise = Promise(unsettled: ())
        promise.storage.withState { $0.set(.ensure) }
        promise.storage.subscribe(to: storage, on: queue, flags: flags, [.outcomes, .end], isNew: true) { next in
            // `next` observes the guarantee, but isn't a dependent of it. So canceling the chain doesn't cancel the
            // guarantee's work.
            body()._promise.storage.observe { _ in
                // After a cancel, `next` rejects as canceled. It can't use this promise's outcome, which may be
                // missing: this promise is still pending if it continues for another dependent.
                next.typed().settle(as: next.isCancelled ? .failure(PromiseError.cancelled) : _outcome)
            }
        }
        return promise
    }
}
