/// Several promises that are waited for together.
///
/// They are counted in the threads that settle them; only the one that decides the matter leads to anything else.
final class Join: _Upstream, @unchecked Sendable {
    // Unchecked: what changes is touched only under the lock.

    private let inputs: [_PromiseStorage]
    private let isEnough: (_PromiseStorage) -> Bool
    private let speaksForAll: Bool
    private var missing: Int
    private var tickets: [Ticket?] = []

    /// - Parameters:
    ///   - inputs: at least one.
    ///   - isEnough: whether an input that has settled decides the matter before the last one is in.
    ///   - speaksForAll: whether that answers for the other inputs, too, whose errors are then nobody's to look at.
    init(_ inputs: [_PromiseStorage], until isEnough: @escaping (_PromiseStorage) -> Bool, speaksForAll: Bool = false) {
        self.inputs = inputs
        self.isEnough = isEnough
        self.speaksForAll = speaksForAll
        missing = inputs.count
    }

    /// - Parameter settle: settles the promise returned here; gets the input that decided.
    func output<T: Sendable>(_ settle: @escaping (Promise<T>, _PromiseStorage) -> Void) -> Promise<T> {
        let output = Promise<T>(unsettled: ())
        output.withState { $0.wait(for: self) }
        let tickets = inputs.map { input in
            input.observe(for: output) { output in
                guard self.decides(input) else { return }
                settle(output._as(Promise<T>.self), input)
                self.finish(output)
            }
        }
        lock()
        self.tickets = tickets
        let isOver = missing == 0
        unlock()
        if isOver { finish(output) }
        return output
    }

    private func decides(_ input: _PromiseStorage) -> Bool {
        let isEarly = isEnough(input)
        lock()
        defer { unlock() }
        guard missing > 0 else { return false }
        missing = isEarly ? 0 : missing - 1
        return missing == 0
    }

    /// The others go on, but nobody here waits for them any more: a cancel that has not come to them yet would miss them.
    private func finish(_ output: _PromiseStorage) {
        let left = end()
        if output._isCancelled { return cancel(left) }
        for input in left where speaksForAll { input.withState { $0.set(.observed) } }
    }

    private func cancel(_ left: [_PromiseStorage]) {
        inTurn(left[...]) { $0.cancel(unlessAwaited: true) }
    }

    /// - Returns: the inputs that were still waited for.
    @discardableResult private func end() -> [_PromiseStorage] {
        waited().compactMap { input, ticket in input.release(ticket) ? input : nil }
    }

    private func waited() -> [(_PromiseStorage, Ticket)] {
        lock()
        defer { unlock() }
        return zip(inputs, tickets).compactMap { input, ticket in ticket.map { (input, $0) } }
    }

    override func release(_ ticket: Ticket) -> Bool { !end().isEmpty }

    override func leave(_ ticket: Ticket, waitingOn: Bool) {
        if waitingOn { return inTurn(waited()[...]) { input, ticket in input.leave(ticket, waitingOn: true) } }
        lock()
        missing = 0
        unlock()
        cancel(end())
    }

    /// From the last to the first, each after what came of the one before: who comes to wait for an input meanwhile
    /// saves it.
    private func inTurn<Input>(_ left: ArraySlice<Input>, _ body: @escaping (Input) -> Void) {
        guard let input = left.last else { return }
        body(input)
        Trampoline.run(Work { _ in self.inTurn(left.dropLast(), body) })
    }
}
