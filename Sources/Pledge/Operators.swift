import Dispatch

/// Begins a chain with the promise that a closure returns, indented like the rest of the chain. The closure runs
/// immediately, on the calling thread; an error that it throws rejects the chain.
@inlinable public func firstly<V, U: Thenable<V>>(execute body: () throws -> U) -> Promise<V> {
    do { return try body()._promise } catch { return Promise(error: error) }
}

/// Begins a chain that can't fail with the guarantee that a closure returns; see the overload for promises.
public func firstly<V>(execute body: () -> Guarantee<V>) -> Guarantee<V> { body() }

extension Thenable {
    /// Continues with the promise that `body` returns for the value: the result settles in the same way.
    ///
    /// `body` runs on the queue, as the closure of ``map(on:flags:_:)`` does.
    ///
    /// - Rejects: With this promise's error, without calling `body`; with any error that `body` throws or its promise
    ///   rejects with; with ``PromiseError/returnedSelf`` if `body` returns the very promise returned here.
    /// - Cancellation: Propagates to this promise or, once `body` has run, to the promise it returned.
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
    /// A form of its own: with two to choose from, the compiler finds the types of the chain before it checks the
    /// closure, and reports mistakes where they are, inside it.
    @_disfavoredOverload @inlinable public func then<V, U: Thenable<V>>(
        _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<V> { then(on: .configured, body) }
}

extension Thenable {
    /// Transforms the value with a closure.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `transform` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - transform: A closure that returns the new value.
    /// - Rejects: With this promise's error, without calling `transform`; with any error that `transform` throws.
    /// - Cancellation: Propagates to this promise, as with every operator that doesn't say otherwise.
    @_disfavoredOverload @inlinable public func map<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T) throws -> U
    ) -> Promise<U> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .values) { next in
            promise._pass(to: next) { next, value in next.fulfill(try transform(value)) }
        }
    }

    /// Transforms the value, as ``map(on:flags:_:)`` does. Nil rejects with ``PromiseError/compactMap(type:)``.
    @_disfavoredOverload @inlinable public func compactMap<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T) throws -> U?
    ) -> Promise<U> {
        map(on: queue, flags: flags) { value in
            guard let found = try transform(value) else { throw PromiseError.compactMap(type: "\(U.self)") }
            return found
        }
    }

    /// Returns the same promise without its value.
    @inlinable public func asVoid() -> Promise<Void> { map(on: nil) { _ in } }
}

extension Thenable {
    /// Calls `body` with the value, at the end of a chain, on the queue, as ``map(on:flags:_:)`` calls its closure.
    ///
    /// - Returns: A promise that is fulfilled once `body` has run. Follow it with `catch`.
    @_disfavoredOverload @inlinable public func done(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<Void> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, [.values, .end]) { next in
            promise._pass(to: next) { next, value in next.fulfill(try body(value)) }
        }
    }

    /// Calls `body` with the value, as ``done(on:flags:_:)`` does, then passes the value on.
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

    /// Calls `body` with the outcome, then passes the outcome on. Receiving an error this way doesn't handle it.
    @_disfavoredOverload @inlinable public func tap(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (Result<T, any Error>) -> Void
    ) -> Promise<T> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .outcomes) { next in
            promise._hand(to: next) { (next: ValueStorage<T?>, outcome) in
                body(outcome)
                next.settle(as: outcome)
            }
        }
    }
}

// The element is a parameter of its own: the compiler then names a mistake in what follows, which it would otherwise
// blame on the value not being a sequence.
extension Thenable {
    /// Transforms each element with a closure, in the same way as ``map(on:flags:_:)`` transforms a value.
    @_disfavoredOverload public func mapValues<E, U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U
    ) -> Promise<[U]> where T: Sequence<E> { map(on: queue, flags: flags) { try $0.map(transform) } }

    /// Transforms each element into a sequence, and concatenates the results; see ``mapValues(on:flags:_:)``.
    @_disfavoredOverload public func flatMapValues<E, U: Sequence & Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U
    ) -> Promise<[U.Element]> where T: Sequence<E>, U.Element: Sendable {
        map(on: queue, flags: flags) { try $0.flatMap(transform) }
    }

    /// Transforms each element, leaving out nil results; see ``mapValues(on:flags:_:)``.
    @_disfavoredOverload public func compactMapValues<E, U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U?
    ) -> Promise<[U]> where T: Sequence<E> { map(on: queue, flags: flags) { try $0.compactMap(transform) } }

    /// Creates a promise from each element, as ``then(on:flags:_:)`` does from a value, waits for all of them, and
    /// collects the values in the order of the elements.
    ///
    /// - Rejects: With the first error. If `transform` throws, no more promises are created. Those that were created
    ///   continue, but their outcomes are ignored.
    /// - Cancellation: Propagates to this promise or, once `transform` has run, to the promises it returned.
    @_disfavoredOverload public func thenMap<E, V, U: Thenable<V>>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U
    ) -> Promise<[V]> where T: Sequence<E> {
        then(on: queue, flags: flags) { elements in
            var promises: [Promise<V>] = []
            do {
                for element in elements { promises.append(try transform(element)._promise) }
            } catch {
                promises.append(Promise(error: error))
            }
            return when(fulfilled: promises)
        }
    }

    /// Creates a promise from each element, waits for all of them, and concatenates their values; see
    /// ``thenMap(on:flags:_:)``.
    @_disfavoredOverload public func thenFlatMap<E, V, U: Thenable<V>>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U
    ) -> Promise<[V.Element]> where T: Sequence<E>, V: Sequence, V.Element: Sendable {
        thenMap(on: queue, flags: flags, transform).map(on: nil) { $0.flatMap { $0 } }
    }

    /// Keeps the elements for which `isIncluded` returns true; see ``mapValues(on:flags:_:)``.
    @_disfavoredOverload public func filterValues<E: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ isIncluded: @escaping @Sendable (E) -> Bool
    ) -> Promise<[E]> where T: Sequence<E> { map(on: queue, flags: flags) { $0.filter(isIncluded) } }

    /// Returns a promise for the first element that satisfies `isWanted`, or ``PromiseError/emptySequence``.
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

extension Thenable where T: Collection, T.Element: Sendable {
    /// A promise for the first element of the value; see ``firstValue(on:flags:where:)``.
    public var firstValue: Promise<T.Element> { firstValue(on: nil) { _ in true } }

    /// A promise for the last element of the value, or ``PromiseError/emptySequence`` if there is none.
    public var lastValue: Promise<T.Element> {
        // A single pass where the collection can't be traversed backwards.
        map(on: nil) { Array($0.suffix(1)) }.firstValue
    }
}

extension Thenable where T: Sequence, T.Element: Comparable & Sendable {
    /// Sorts the elements in ascending order.
    @_disfavoredOverload public func sortedValues(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil
    ) -> Promise<[T.Element]> { map(on: queue, flags: flags) { $0.sorted() } }
}

extension Thenable {
    /// Returns a promise for one of several callers: it settles in the same way, but canceling it affects only that
    /// caller.
    ///
    /// ```swift
    /// let profile = profiles[id] ?? load(id)   // a promise that is kept for everyone who asks
    /// return profile.shared()
    /// ```
    ///
    /// - Cancellation: Doesn't propagate to this promise, even if every caller cancels. To stop the work, cancel this
    ///   one.
    public func shared() -> Promise<T> {
        _promise.storage.withState { $0.set(.shared) }
        return Promise(self)
    }
}

extension Thenable {
    /// Continues with the promise that `body` returns for the outcome, a value or an error. Unlike ``settled()``, the
    /// chain can be canceled at this step, so that `body` isn't called.
    package func thenSettled<V>(
        on queue: DispatchQueue?, _ body: @escaping @Sendable (Result<T, any Error>) throws -> Promise<V>
    ) -> Promise<V> {
        let promise = _promise
        return promise._chain(on: queue, flags: nil, .outcomes) { next in
            promise._hand(to: next) { next, outcome in next.follow(try body(outcome)) }
        }
    }

    /// Returns a guarantee for the outcome, so that a chain can continue with either a value or an error.
    @inlinable public func settled() -> Guarantee<Result<T, any Error>> {
        let promise = _promise
        return Guarantee(
            _unfailing: promise._chain(on: nil, flags: nil, .outcomes) { next in
                next.typed().fulfill(promise._outcome)
            })
    }
}

extension Thenable {
    /// Handles the error a chain ends with.
    ///
    /// `body` runs on the queue, as the closure of ``map(on:flags:_:)`` does. The policy says whether cancellation
    /// counts as an error. By default it doesn't, which is easily forgotten: put what must always run into `ensure` or
    /// `finally`.
    ///
    /// - Returns: A promise that is fulfilled when the chain has ended, with or without an error.
    @_disfavoredOverload @inlinable @discardableResult public func `catch`(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @Sendable (any Error) -> Void
    ) -> Promise<Void> {
        handle(on: queue, flags: flags) { error in
            if policy == .allErrors || !error.isCancelled { body(error) } else { PromiseStorage.passCancel() }
            return true
        }
    }

    /// Handles errors of one type. Other errors reject the returned promise, for the next `catch`.
    @_disfavoredOverload @inlinable public func `catch`<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy, _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> {
        handle(on: queue, flags: flags) { error in
            guard let error = error as? E, policy == .allErrors || !error.isCancelled else { return false }
            body(error)
            return true
        }
    }

    /// Handles one error, including cancellation. Other errors reject the returned promise, for the next `catch`.
    @_disfavoredOverload @inlinable public func `catch`<E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> {
        handle(on: queue, flags: flags) { error in
            guard let error = error as? E, error == wanted else { return false }
            body(error)
            return true
        }
    }

    @inlinable func handle(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?,
        _ attempt: @escaping @Sendable (any Error) -> Bool
    ) -> Promise<Void> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, [.errors, .end]) { next in
            promise._hand(to: next) { (next: ValueStorage<Void?>, outcome) in
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
    /// Recovers from an error, including cancellation, with a guarantee, which can't fail. A value is passed on.
    ///
    /// - Cancellation: Propagates to this promise, which then rejects, so that `body` is called.
    @_disfavoredOverload @inlinable public func recover(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (any Error) -> Guarantee<T>
    ) -> Guarantee<T> {
        let promise = _promise
        return Guarantee<T>(
            _unfailing: promise._chain(on: queue, flags: flags, .errors) { next in
                promise._hand(to: next) { (next: ValueStorage<T?>, outcome) in
                    switch outcome {
                    case .success: next.settle(as: outcome)
                    case .failure(let error): next.follow(body(error)._promise)
                    }
                }
            })
    }

    /// Recovers from an error (from cancellation only if the policy says so) with a promise. A value is passed on.
    ///
    /// - Cancellation: Propagates to this promise or, once `body` has run, to the promise it returned.
    @_disfavoredOverload @inlinable public func recover<U: Thenable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @Sendable (any Error) throws -> U
    ) -> Promise<T> where U.T == T {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .errors) { next in
            promise._hand(to: next) { (next: ValueStorage<T?>, outcome) in
                guard case .failure(let error) = outcome, policy == .allErrors || !error.isCancelled else {
                    return next.settle(as: outcome)
                }
                next.follow(try body(error)._promise)
            }
        }
    }

    /// Transforms an error, including cancellation, as ``map(on:flags:_:)`` transforms a value. A value is passed on.
    @_disfavoredOverload @inlinable public func mapError(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (any Error) -> any Error
    ) -> Promise<T> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .errors) { next in
            promise._hand(to: next) { (next: ValueStorage<T?>, outcome) in next.settle(as: outcome.mapError(transform))
            }
        }
    }

    // Overloads for one kind of error. The methods above have the complete documentation.

    /// Recovers from errors of one type with another promise. Values and other errors are passed on.
    @_disfavoredOverload @inlinable public func recover<U: Thenable, E: Error>(
        only type: E.Type, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy, _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T {
        recover(on: queue, flags: flags, policy: policy) { error -> Promise<T> in
            guard let error = error as? E else { throw error }
            return try body(error)._promise
        }
    }

    /// Recovers from one error, including cancellation, with another promise. Values and other errors are passed on.
    @_disfavoredOverload @inlinable public func recover<U: Thenable, E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T {
        recover(on: queue, flags: flags, policy: .allErrors) { error -> Promise<T> in
            guard let error = error as? E, error == wanted else { throw error }
            return try body(error)._promise
        }
    }
}

// The same operators for promises without a value: the chain continues when the handler returns.
extension Thenable where T == Void {
    /// Recovers from an error, including cancellation, so that the chain can no longer fail.
    @_disfavoredOverload @inlinable @discardableResult public func recover(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (any Error) -> Void
    ) -> Guarantee<Void> { recover(on: queue, flags: flags) { error -> Guarantee<Void> in .value(body(error)) } }

    /// Recovers from an error, unless `body` throws.
    @_disfavoredOverload @inlinable public func recover(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @Sendable (any Error) throws -> Void
    ) -> Promise<Void> {
        recover(on: queue, flags: flags, policy: policy) { error -> Promise<Void> in .value(try body(error)) }
    }

    /// Recovers from errors of one type. Other errors are passed on.
    @_disfavoredOverload @inlinable public func recover<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy, _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> {
        recover(only: type, on: queue, flags: flags, policy: policy) { e -> Promise<Void> in .value(try body(e)) }
    }

    /// Recovers from one error, including cancellation. Other errors are passed on.
    @_disfavoredOverload @inlinable public func recover<E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> {
        recover(only: wanted, on: queue, flags: flags) { error -> Promise<Void> in .value(try body(error)) }
    }
}

extension Thenable {
    /// Runs `body` after a value, an error, or cancellation, as ``map(on:flags:_:)`` does, then passes the outcome on.
    ///
    /// - Cancellation: Propagates to this promise. `body` still runs, and later steps wait for it.
    @_disfavoredOverload public func ensure(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable () -> Void
    ) -> Promise<T> {
        _promise._always(on: queue, flags: flags) {
            body()
            return Guarantee()
        }
    }

    /// Runs `body`, as ``ensure(on:flags:_:)`` does, waits for the work that it returns, then passes the outcome on.
    ///
    /// - Cancellation: Propagates to this promise, not to the work. `body` still runs, and later steps wait for the
    ///   work.
    @_disfavoredOverload public func ensureThen(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable () -> Guarantee<Void>
    ) -> Promise<T> { _promise._always(on: queue, flags: flags, body) }
}

extension Thenable where T == Void {
    /// Runs `body` at the end of a chain, regardless of the outcome; see ``ensure(on:flags:_:)``.
    @_disfavoredOverload public func finally(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable () -> Void
    ) { _ = ensure(on: queue, flags: flags, body) }
}

extension Promise {
    /// Returns a promise that settles after `body` and its work, with the same outcome or, once canceled, as canceled.
    func _always(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?,
        _ body: @escaping @Sendable () -> Guarantee<Void>
    ) -> Promise<T> {
        let promise = Promise(unsettled: ())
        promise.storage.withState { $0.set(.ensure) }
        promise.storage.subscribe(to: storage, on: queue, flags: flags, [.outcomes, .end], isNew: true) { next in
            // Observed rather than waited for, so that canceling the chain doesn't cancel the work.
            body()._promise.storage.observe { _ in
                // After a cancel, `next` rejects as canceled. This promise may still be pending, because it continues
                // for another dependent.
                next.typed().settle(as: next.isCancelled ? .failure(PromiseError.cancelled) : _outcome)
            }
        }
        return promise
    }
}
