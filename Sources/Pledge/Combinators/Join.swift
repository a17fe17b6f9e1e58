/// Several promises that are waited for together.
///
/// They are counted on the threads that settle them. Only the one that decides the outcome has any further effect.
final class Join: LockedObject, @unchecked Sendable {
    // Unchecked: mutable state is only accessed under the lock.

    private let inputs: [PromiseStorage]
    private let isEnough: (PromiseStorage) -> Bool
    private let speaksForAll: Bool
    private var missing: Int
    private var tickets: [Ticket?] = []

    /// - Parameters:
    ///   - inputs: The promises to wait for, at least one.
    ///   - isEnough: Whether an input that has settled decides the outcome before the others have settled.
    ///   - speaksForAll: Whether it also decides for the other inputs, whose errors then count as handled.
    init(_ inputs: [PromiseStorage], until isEnough: @escaping (PromiseStorage) -> Bool, speaksForAll: Bool = false) {
        self.inputs = inputs
        self.isEnough = isEnough
        self.speaksForAll = speaksForAll
        missing = inputs.count
    }

    /// - Parameter settle: A closure that settles the returned promise. Receives the input that decided the outcome.
    func output<T: Sendable>(_ settle: @escaping (Promise<T>, PromiseStorage) -> Void) -> Promise<T> {
        let output = Promise<T>(unsettled: ())
        output.storage.withState { $0.wait(for: .several(self)) }
        let tickets = inputs.map { input in
            input.observe(for: output.storage) { output in
                guard self.decides(input) else { return }
                settle(Promise(output.typed()), input)
                self.finish(output)
            }
        }
        lock()
        self.tickets = tickets
        let isOver = missing == 0
        unlock()
        if isOver { finish(output.storage) }
        return output
    }

    private func decides(_ input: PromiseStorage) -> Bool {
        let isEarly = isEnough(input)
        lock()
        defer { unlock() }
        guard missing > 0 else { return false }
        missing = isEarly ? 0 : missing - 1
        return missing == 0
    }

    /// Leaves the other inputs, which continue. A cancel that is on its way to them is passed on: it would miss them.
    private func finish(_ output: PromiseStorage) {
        let left = end()
        if output.isCancelled { return cancel(left) }
        for input in left where speaksForAll { input.withState { $0.set(.observed) } }
    }

    private func cancel(_ left: [PromiseStorage]) {
        inTurn(left[...]) { $0.cancel(unlessAwaited: true) }
    }

    /// - Returns: The inputs that were still being waited for.
    @discardableResult private func end() -> [PromiseStorage] {
        waited().compactMap { input, ticket in input.release(ticket) ? input : nil }
    }

    private func waited() -> [(PromiseStorage, Ticket)] {
        lock()
        defer { unlock() }
        return zip(inputs, tickets).compactMap { input, ticket in ticket.map { (input, $0) } }
    }

    /// Stops waiting. Returns whether anything was still being waited for.
    func release() -> Bool { !end().isEmpty }

    /// Called when the promise that waits was canceled.
    func leave(waitingOn: Bool) {
        if waitingOn { return inTurn(waited()[...]) { input, ticket in input.leave(ticket, waitingOn: true) } }
        lock()
        missing = 0
        unlock()
        cancel(end())
    }

    /// Calls `body` for the inputs, from last to first, each after the effects of the previous call: an input that
    /// gains another dependent in the meantime isn't canceled.
    private func inTurn<Input>(_ left: ArraySlice<Input>, _ body: @escaping (Input) -> Void) {
        guard let input = left.last else { return }
        body(input)
        Trampoline.run(Work { _ in self.inTurn(left.dropLast(), body) })
    }
}
