import Foundation
import Pledge

/// A semaphore that limits the number of promises that are in progress at the same time for each origin. It admits
/// waiting promises in the order of their arrival.
package final class Semaphore: Sendable {
    /// A permit to run. When the last reference to the permit is released, the semaphore admits the next promise.
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

    /// - Parameter width: The number of promises that run at a time for each origin.
    package init(width: Int) { self.width = max(1, width) }

    /// Runs `work` as soon as a permit for the origin is free. When `work` has ended, the next promise is admitted.
    ///
    /// If the returned promise is canceled while it waits, it leaves the queue. If `work` is already running, its
    /// promise is canceled.
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

    /// The number of promises that wait, for each origin that is in use.
    var waitingCounts: [Origin?: Int] { lines.withLock { $0.mapValues(\.waiting.count) } }

    private static func run<Value>(_ work: () -> Promise<Value>, holding permit: Permit) -> Promise<Value> {
        work().ensure(on: nil) { withExtendedLifetime(permit) {} }
    }

    private func leave(_ origin: Origin?) {
        while let next = takeNext(origin) {
            // A canceled promise would release its permit at once. So many of them, canceled together, would be released
            // within one another.
            if !next.isCancelled { return next.fulfill(Permit(self, origin)) }
        }
    }

    /// Returns the next promise to admit. If there is none, one promise less is in progress.
    private func takeNext(_ origin: Origin?) -> Resolver<Permit>? {
        lines.withLock { lines in
            if let next = lines[origin]?.waiting.popFirst() { return next }
            lines[origin]?.inside -= 1
            if lines[origin]?.inside == 0 { lines[origin] = nil }
            return nil
        }
    }
}

extension Semaphore {
    /// Sends a request as soon as there is a permit for its origin. Until then, the request is marked as waiting.
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
