/// Waits for all promises in an array, and collects their values in the same order. If the array is empty, the result
/// is an empty array.
///
/// - Rejects: With the first error, as soon as it occurs. The other promises continue, but their outcomes are ignored.
@inlinable public func when<V, U: Thenable<V>>(fulfilled thenables: [U]) -> Promise<[V]> {
    guard !thenables.isEmpty else { return .value([]) }
    let inputs = thenables.map(\._promise.storage)
    return _all(inputs) { inputs.map { $0.value() } }
}

/// Waits for all promises in an array of promises without a value; see the overload for promises with a value.
@_disfavoredOverload public func when<U: Thenable<Void>>(fulfilled thenables: [U]) -> Promise<Void> {
    thenables.isEmpty ? Promise() : _all(thenables.map(\._promise.storage)) {}
}

/// Waits until every promise in an array has settled, and collects their outcomes in the same order.
@inlinable public func when<V, U: Thenable<V>>(resolved thenables: [U]) -> Guarantee<[Result<V, any Error>]> {
    guard !thenables.isEmpty else { return .value([]) }
    let inputs = thenables.map(\._promise)
    return Guarantee(_unfailing: _all(inputs.map(\.storage), stopsAtError: false) { inputs.map(\._outcome) })
}

/// Waits until all of these promises have settled; see the overload that takes an array.
@inlinable public func when<V, U: Thenable<V>>(resolved thenables: U...) -> Guarantee<[Result<V, any Error>]> {
    when(resolved: thenables)
}

/// Waits for all guarantees in an array, and collects their values in the same order.
public func when<T: Sendable>(guarantees: [Guarantee<T>]) -> Guarantee<[T]> {
    Guarantee(_unfailing: when(fulfilled: guarantees))
}

/// Waits for all guarantees in an array of guarantees without a value.
public func when(guarantees: [Guarantee<Void>]) -> Guarantee<Void> {
    Guarantee(_unfailing: when(fulfilled: guarantees))
}

/// Waits for all inputs, and returns a promise for the value that `result` returns after that.
///
/// - Parameter stopsAtError: Whether the promise rejects as soon as an input rejects. If not, it waits until all inputs
///   have settled.
@usableFromInline func _all<Value: Sendable>(
    _ inputs: [PromiseStorage], stopsAtError: Bool = true, result: @escaping () -> Value
) -> Promise<Value> {
    Join(inputs, until: { stopsAtError && $0.failure != nil }).output { output, input in
        if stopsAtError, let error = input.failure { return output.storage.reject(error) }
        output.storage.fulfill(result())
    }
}

// As in PromiseKit, there is one function for each number of promises from two to five. A single function with a
// parameter pack would be shorter, but a closure that names the values (`{ profile, averages in … }`) wouldn't
// type-check after it.

/// Waits for two promises, and combines their values in a tuple. The values may be of different types.
///
/// - Rejects: With the first error, as soon as it occurs. The other promise continues, but its outcome is ignored.
@inlinable public func when<A, B>(fulfilled a: some Thenable<A>, _ b: some Thenable<B>) -> Promise<(A, B)> {
    let (a, b) = (a._promise, b._promise)
    return _all([a.storage, b.storage]) { (a._value, b._value) }
}

/// Waits for three promises, and combines their values in a tuple; see ``when(fulfilled:_:)``.
@inlinable public func when<A, B, C>(
    fulfilled a: some Thenable<A>, _ b: some Thenable<B>, _ c: some Thenable<C>
) -> Promise<(A, B, C)> {
    let (a, b, c) = (a._promise, b._promise, c._promise)
    return _all([a.storage, b.storage, c.storage]) { (a._value, b._value, c._value) }
}

/// Waits for four promises, and combines their values in a tuple; see ``when(fulfilled:_:)``.
@inlinable public func when<A, B, C, D>(
    fulfilled a: some Thenable<A>, _ b: some Thenable<B>, _ c: some Thenable<C>, _ d: some Thenable<D>
) -> Promise<(A, B, C, D)> {
    let (a, b, c, d) = (a._promise, b._promise, c._promise, d._promise)
    return _all([a.storage, b.storage, c.storage, d.storage]) { (a._value, b._value, c._value, d._value) }
}

/// Waits for five promises, and combines their values in a tuple; see ``when(fulfilled:_:)``.
@inlinable public func when<A, B, C, D, E>(
    fulfilled a: some Thenable<A>, _ b: some Thenable<B>, _ c: some Thenable<C>, _ d: some Thenable<D>,
    _ e: some Thenable<E>
) -> Promise<(A, B, C, D, E)> {
    let (a, b, c, d, e) = (a._promise, b._promise, c._promise, d._promise, e._promise)
    return _all([a.storage, b.storage, c.storage, d.storage, e.storage]) {
        (a._value, b._value, c._value, d._value, e._value)
    }
}

/// Waits for two guarantees, and combines their values in a tuple. The values may be of different types.
public func when<A, B>(guarantees a: Guarantee<A>, _ b: Guarantee<B>) -> Guarantee<(A, B)> {
    Guarantee(_unfailing: when(fulfilled: a, b))
}

/// Waits for three guarantees, and combines their values in a tuple. The values may be of different types.
public func when<A, B, C>(guarantees a: Guarantee<A>, _ b: Guarantee<B>, _ c: Guarantee<C>) -> Guarantee<(A, B, C)> {
    Guarantee(_unfailing: when(fulfilled: a, b, c))
}

/// Waits for four guarantees, and combines their values in a tuple. The values may be of different types.
public func when<A, B, C, D>(
    guarantees a: Guarantee<A>, _ b: Guarantee<B>, _ c: Guarantee<C>, _ d: Guarantee<D>
) -> Guarantee<(A, B, C, D)> { Guarantee(_unfailing: when(fulfilled: a, b, c, d)) }

/// Waits for five guarantees, and combines their values in a tuple. The values may be of different types.
public func when<A, B, C, D, E>(
    guarantees a: Guarantee<A>, _ b: Guarantee<B>, _ c: Guarantee<C>, _ d: Guarantee<D>, _ e: Guarantee<E>
) -> Guarantee<(A, B, C, D, E)> { Guarantee(_unfailing: when(fulfilled: a, b, c, d, e)) }

/// Waits for one or more promises together. Each promise is counted on the thread that settles it. Only the promise
/// that decides the outcome has a further effect.
final class Join: Upstream, @unchecked Sendable {
    // Unchecked: mutable state is only accessed under the lock.

    private let inputs: [PromiseStorage]
    private let isEnough: (PromiseStorage) -> Bool
    private var missing: Int
    private var tickets: [Ticket?] = []

    /// - Parameter isEnough: A closure that returns whether this input decides the outcome, even though other inputs
    ///   are still pending. It is called for an input that has settled.
    init(_ inputs: [PromiseStorage], until isEnough: @escaping (PromiseStorage) -> Bool) {
        self.inputs = inputs
        self.isEnough = isEnough
        missing = inputs.count
    }

    /// Returns a promise that settles when the inputs have decided the outcome.
    ///
    /// - Parameter settle: A closure that settles the returned promise. Its second argument is the input that decided
    ///   the outcome.
    func output<T: Sendable>(_ settle: @escaping (Promise<T>, PromiseStorage) -> Void) -> Promise<T> {
        let output = Promise<T>(unsettled: ())
        output.storage.withState { $0.setSource(self) }
        for input in inputs { output.storage.inheritOrigin(from: input) }
        let tickets = inputs.map { input in
            input.observe(for: output.storage) { output in
                guard self.decides(input) else { return }
                settle(Promise(output.typed()), input)
                // If the output is still pending here, it was canceled before. It then rejects after the cleanups of
                // all inputs.
                guard !output.isPending else { return }
                Self.unsubscribe(self.waited(), for: output)
            }
        }
        let isOver = locked {
            self.tickets = tickets
            return missing == 0
        }
        if isOver { Self.unsubscribe(waited(), for: output.storage) }
        return output
    }

    private func decides(_ input: PromiseStorage) -> Bool {
        let isEarly = isEnough(input)
        return locked {
            guard missing > 0 else { return false }
            missing = isEarly ? 0 : missing - 1
            return missing == 0
        }
    }

    private func waited() -> [(PromiseStorage, Ticket)] {
        locked { zip(inputs, tickets).compactMap { input, ticket in ticket.map { (input, $0) } } }
    }

    override func unsubscribe(_ ticket: Ticket) -> [PromiseStorage] { Self.unsubscribe(waited()) }

    override func uncount(_ ticket: Ticket, holds: Bool) -> [PromiseStorage] {
        waited().flatMap { input, ticket in
            let isLong = input.unfinished().marks.contains(.long)
            return input.uncount(ticket, holds: holds || !isLong)
        }
    }

    override var promises: [PromiseStorage] { inputs }
}
