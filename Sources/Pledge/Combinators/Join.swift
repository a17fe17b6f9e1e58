/// Several promises that are waited for together.
///
/// They are counted on the threads that settle them. Only the one that decides the outcome has any further effect.
final class Join: Upstream, @unchecked Sendable {
    // Unchecked: mutable state is only accessed under the lock.

    private let inputs: [PromiseStorage]
    private let isEnough: (PromiseStorage) -> Bool
    private let handlesOtherErrors: Bool
    private var missing: Int
    private var tickets: [Ticket?] = []
    private var isCanceling = false
    /// Whether the output was canceled, and rejects once all inputs that clean up have ended.
    private var isUnwinding: Bool { locked { isCanceling } }

    /// - Parameters:
    ///   - inputs: The promises to wait for, at least one.
    ///   - isEnough: Whether an input that has settled decides the outcome before the others have settled.
    ///   - handlesOtherErrors: Whether the errors of the other inputs then count as handled.
    init(
        _ inputs: [PromiseStorage], until isEnough: @escaping (PromiseStorage) -> Bool, handlesOtherErrors: Bool = false
    ) {
        self.inputs = inputs
        self.isEnough = isEnough
        self.handlesOtherErrors = handlesOtherErrors
        missing = inputs.count
    }

    /// - Parameter settle: A closure that settles the returned promise. Receives the input that decided the outcome.
    func output<T: Sendable>(_ settle: @escaping (Promise<T>, PromiseStorage) -> Void) -> Promise<T> {
        let output = Promise<T>(unsettled: ())
        output.storage.withState { $0.wait(for: self) }
        let tickets = inputs.map { input in
            input.observe(for: output.storage) { output in
                guard self.decides(input) else { return }
                // Some inputs may have no value then.
                if self.isUnwinding {
                    output.reject(PromiseError.cancelled)
                } else {
                    settle(Promise(output.typed()), input)
                }
                self.finish(output)
            }
        }
        let isOver = locked {
            self.tickets = tickets
            return missing == 0
        }
        if isOver { finish(output.storage) }
        return output
    }

    private func decides(_ input: PromiseStorage) -> Bool {
        let isEarly = isEnough(input)
        return locked {
            guard missing > 0 else { return false }
            missing = isEarly && !isCanceling ? 0 : missing - 1
            return missing == 0
        }
    }

    /// Leaves the other inputs, which continue. If the output was canceled, on another thread, they are as well.
    private func finish(_ output: PromiseStorage) {
        let left = end()
        if output.isCancelled { return left.reversed().forEach { $0.cancel(unlessAwaited: true) } }
        for input in left where handlesOtherErrors { input.withState { $0.set(.observed) } }
    }

    /// - Returns: The inputs that were still being waited for.
    @discardableResult private func end() -> [PromiseStorage] {
        waited().compactMap { input, ticket in input.release(ticket) == nil ? nil : input }
    }

    private func waited() -> [(PromiseStorage, Ticket)] {
        locked { zip(inputs, tickets).compactMap { input, ticket in ticket.map { (input, $0) } } }
    }

    override func release(_ ticket: Ticket) -> Handler? {
        locked { missing = 0 }
        end()
        return nil
    }

    override func uncount(_ ticket: Ticket, runs: Bool, isCleanup: Bool) -> [PromiseStorage] {
        locked { isCanceling = !runs }
        return waited().flatMap { input, ticket in input.uncount(ticket, runs: true, isCleanup: false) }
    }

    override func unwinds(isGuarantee: Bool) -> Bool {
        let waited = waited()
        if isGuarantee { return waited.contains { input, _ in input.isUnwinding } }
        let released = waited.filter { input, ticket in !input.isUnwinding && input.release(ticket) != nil }
        return locked {
            missing -= released.count
            return missing > 0
        }
    }
}
