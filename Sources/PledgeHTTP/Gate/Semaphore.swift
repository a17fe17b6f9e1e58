import Pledge

/// A semaphore that admits a limited number of promises at a time to each origin, in the order of arrival.
package final class Semaphore: Sendable {
    /// A permit to run. Releasing it, in whatever way, admits the next.
    private final class Permit: Sendable {
        private let semaphore: Semaphore
        private let origin: Origin?

        init(_ semaphore: Semaphore, _ origin: Origin?) { (self.semaphore, self.origin) = (semaphore, origin) }

        deinit { semaphore.leave(origin) }
    }

    private struct Line {
        var inside = 0
        var waiting = WaitingList<Resolver<Permit>>()
    }

    private let width: Int
    private let lines = Locked<[Origin?: Line]>([:])

    /// - Parameter width: The number of promises that are admitted at a time to each origin.
    package init(width: Int) { self.width = max(1, width) }

    /// Runs `work` as soon as a permit for the origin is free, and then admits the next. A cancel leaves the queue, or
    /// cancels `work`.
    package func enter<Value>(
        _ origin: Origin? = nil, _ work: @escaping @Sendable () -> Promise<Value>
    ) -> Promise<Value> {
        let queued = lines.withLock { lines -> Promise<Permit>? in
            if lines[origin, default: Line()].inside < width {
                lines[origin, default: Line()].inside += 1
                return nil
            }
            let (promise, resolver) = Promise<Permit>.pending()
            let number = lines[origin, default: Line()].waiting.append(resolver)
            resolver.onCancel { [weak self] in self?.lines.withLock { $0[origin]?.waiting.remove(number) } }
            return promise
        }
        guard let queued else { return Self.run(work, holding: Permit(self, origin)) }
        return queued.then(on: nil) { Self.run(work, holding: $0) }
    }

    /// The number of promises that wait for each origin that is in use.
    var waitingCounts: [Origin?: Int] { lines.withLock { $0.mapValues(\.waiting.count) } }

    private static func run<Value>(_ work: () -> Promise<Value>, holding permit: Permit) -> Promise<Value> {
        work().ensure(on: nil) { withExtendedLifetime(permit) {} }
    }

    private func leave(_ origin: Origin?) {
        let next = lines.withLock { lines -> Resolver<Permit>? in
            if let next = lines[origin]?.waiting.popFirst() { return next }
            lines[origin]?.inside -= 1
            if lines[origin]?.inside == 0 { lines[origin] = nil }
            return nil
        }
        // If it was canceled just now, the permit is released unused, and so passed on.
        next?.fulfill(Permit(self, origin))
    }
}

extension Semaphore {
    /// Sends a request as soon as there is a permit for its origin, and marks it as waiting until then.
    func enter<Value>(
        _ request: OutgoingRequest, _ send: @escaping @Sendable () -> Promise<Value>
    ) -> Promise<Value> {
        request.isWaiting?.withLock { $0 = true }
        return enter(Origin(request.url)) {
            request.isWaiting?.withLock { $0 = false }
            return send()
        }
    }
}
