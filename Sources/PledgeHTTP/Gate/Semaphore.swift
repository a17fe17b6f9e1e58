import Pledge

/// A semaphore that admits a limited number of promises at a time, in the order of arrival.
package final class Semaphore: Sendable {
    /// A permit to run. Releasing it, in whatever way, admits the next.
    private final class Permit: Sendable {
        private let semaphore: Semaphore

        init(_ semaphore: Semaphore) { self.semaphore = semaphore }

        deinit { semaphore.leave() }
    }

    private struct State {
        var free: Int
        var waiting = WaitingList<Resolver<Permit>>()
    }

    private let state: Locked<State>

    package init(width: Int) {
        state = Locked(State(free: max(1, width)))
    }

    /// Runs `work` as soon as a permit is free, and then admits the next. A cancel leaves the queue, or cancels `work`.
    package func enter<Value>(_ work: @escaping @Sendable () -> Promise<Value>) -> Promise<Value> {
        let queued = state.withLock { state -> Promise<Permit>? in
            if state.free > 0 {
                state.free -= 1
                return nil
            }
            let (promise, resolver) = Promise<Permit>.pending()
            let number = state.waiting.append(resolver)
            resolver.onCancel { [weak self] in self?.state.withLock { $0.waiting.remove(number) } }
            return promise
        }
        guard let queued else { return Self.run(work, holding: Permit(self)) }
        return queued.then(on: nil) { Self.run(work, holding: $0) }
    }

    private static func run<Value>(_ work: () -> Promise<Value>, holding permit: Permit) -> Promise<Value> {
        work().ensure(on: nil) { withExtendedLifetime(permit) {} }
    }

    private func leave() {
        let next = state.withLock { state -> Resolver<Permit>? in
            if let next = state.waiting.popFirst() { return next }
            state.free += 1
            return nil
        }
        // If it was canceled just now, the permit is released unused, and so passed on.
        next?.fulfill(Permit(self))
    }
}
