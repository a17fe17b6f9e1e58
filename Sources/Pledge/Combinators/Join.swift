/// Several promises that are waited for together.
///
/// They are counted in the threads that settle them; only the one that decides the matter leads to anything else.
final class Join: _LockedObject, @unchecked Sendable {
    // Unchecked: what changes is touched only under the lock.

    private let inputs: [_PromiseStorage]
    private let isEnough: (_PromiseStorage) -> Bool
    private let speaksForAll: Bool
    private var missing = 0
    /// Counted up when waiting begins anew, so that who was on the way from before does not count.
    private var round = 0
    private var tickets: [UInt32?] = []

    /// - Parameters:
    ///   - inputs: at least one.
    ///   - isEnough: whether an input that has settled decides the matter before the last one is in.
    ///   - speaksForAll: whether that answers for the other inputs, too, whose errors are then nobody's to look at.
    init(_ inputs: [_PromiseStorage], until isEnough: @escaping (_PromiseStorage) -> Bool, speaksForAll: Bool = false) {
        self.inputs = inputs
        self.isEnough = isEnough
        self.speaksForAll = speaksForAll
    }

    /// - Parameter settle: settles the promise returned here; gets the input that decided.
    func output<T: Sendable>(_ settle: @escaping (Promise<T>, _PromiseStorage) -> Void) -> Promise<T> {
        let output = Promise<T>(unsettled: ())
        let decide: Decision = { output, input in settle(output._as(Promise<T>.self), input) }
        output.onCancel { output in
            let waited = self.end()
            // From the last to the first, each after what the cancel of the one before led to: who comes to wait for an
            // input meanwhile saves it.
            func stop(_ left: ArraySlice<_PromiseStorage>, goOn: Bool) {
                guard let input = left.last else {
                    // A guarantee needs the outcomes all the same; if an input goes on for others, only once somebody
                    // waits for it.
                    return output.wait(unlessIdle: !goOn) { self.begin(for: $0, decide) }
                }
                let isStopped = input.cancelIfUnused()
                Trampoline.run(.other { stop(left.dropLast(), goOn: goOn || !isStopped) })
            }
            stop(waited[...], goOn: false)
        }
        begin(for: output, decide)
        return output
    }

    private typealias Decision = (_ output: _PromiseStorage, _ input: _PromiseStorage) -> Void

    private func begin(for output: _PromiseStorage, _ decide: @escaping Decision) {
        lock()
        missing = inputs.count
        round += 1
        let round = round
        unlock()
        let tickets = inputs.map { input in
            input.observe(for: output) { self.count(input, round, $0, decide) }
        }
        lock()
        let isOver = missing == 0 || self.round != round
        if !isOver { self.tickets = tickets }
        unlock()
        if isOver { finish(with: release(tickets), isCancelled: output._isCancelled) }
    }

    private func count(
        _ input: _PromiseStorage, _ round: Int, _ output: _PromiseStorage, _ decide: Decision
    ) {
        let isEarly = isEnough(input)
        lock()
        guard missing > 0, round == self.round else { return unlock() }
        missing = isEarly ? 0 : missing - 1
        let isDecided = missing == 0
        unlock()
        guard isDecided else { return }
        decide(output, input)
        finish(with: end(), isCancelled: false)
    }

    /// The others go on, but nobody here waits for them any more.
    private func finish(with others: [_PromiseStorage], isCancelled: Bool) {
        for input in others {
            if isCancelled { input.cancelIfUnused() } else if speaksForAll { input._markObserved() }
        }
    }

    /// - Returns: the inputs that were still waited for.
    private func end() -> [_PromiseStorage] {
        lock()
        missing = 0
        let tickets = tickets
        self.tickets = []
        unlock()
        return release(tickets)
    }

    private func release(_ tickets: [UInt32?]) -> [_PromiseStorage] {
        zip(inputs, tickets).compactMap { input, ticket in
            ticket.flatMap { input.release($0) } == nil ? nil : input
        }
    }
}
