/// Several promises that are waited for together, at least one. They are counted on the threads that settle them, and
/// only the one that decides the outcome has any further effect.
final class Join: Upstream, @unchecked Sendable {
    // Unchecked: mutable state is only accessed under the lock.

    private let inputs: [PromiseStorage]
    private let isEnough: (PromiseStorage) -> Bool
    private var missing: Int
    private var tickets: [Ticket?] = []

    /// - Parameter isEnough: Whether an input that has settled decides the outcome before the others have settled.
    init(_ inputs: [PromiseStorage], until isEnough: @escaping (PromiseStorage) -> Bool) {
        self.inputs = inputs
        self.isEnough = isEnough
        missing = inputs.count
    }

    /// - Parameter settle: A closure that settles the returned promise. Receives the input that decided the outcome.
    func output<T: Sendable>(_ settle: @escaping (Promise<T>, PromiseStorage) -> Void) -> Promise<T> {
        let output = Promise<T>(unsettled: ())
        output.storage.withState { $0.wait(for: self) }
        for input in inputs { output.storage.continue(input) }
        let tickets = inputs.map { input in
            input.observe(for: output.storage) { output in
                guard self.decides(input) else { return }
                settle(Promise(output.typed()), input)
                // A cancel that came first rejects it, after the cleanups of all inputs.
                guard !output.isPending else { return }
                Self.leave(self.waited(), for: output)
            }
        }
        let isOver = locked {
            self.tickets = tickets
            return missing == 0
        }
        if isOver { Self.leave(waited(), for: output.storage) }
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

    override func leave(_ ticket: Ticket) -> [PromiseStorage] { Self.leave(waited()) }

    override func uncount(_ ticket: Ticket, holds: Bool) -> [PromiseStorage] {
        waited().flatMap { input, ticket in
            let isLong = input.unfinished().marks.contains(.long)
            return input.uncount(ticket, holds: holds || !isLong)
        }
    }

    override var promises: [PromiseStorage] { inputs }
}
