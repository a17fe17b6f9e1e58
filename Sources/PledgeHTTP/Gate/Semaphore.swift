import Foundation
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

/// A first-in, first-out queue whose elements can leave at any time, as do calls that are canceled.
struct WaitingList<Element> {
    private var elements: [Int: Element] = [:]
    /// The numbers of the first element, unless it left, and of the next one to come.
    private var first = 0
    private var next = 0

    var count: Int { elements.count }
    var isEmpty: Bool { elements.isEmpty }

    /// Adds an element, and returns the number with which it can leave.
    mutating func append(_ element: Element) -> Int {
        defer { next += 1 }
        elements[next] = element
        return next
    }

    mutating func remove(_ number: Int) {
        elements[number] = nil
        if elements.isEmpty { first = next }
    }

    mutating func popFirst() -> Element? {
        for number in first..<next {
            first = number + 1
            if let element = elements.removeValue(forKey: number) { return element }
        }
        return nil
    }

    /// Removes those for which the closure, which may change them, returns true.
    mutating func removeAll(where shouldLeave: (inout Element) -> Bool) {
        for (number, var element) in elements { elements[number] = shouldLeave(&element) ? nil : element }
    }
}

/// The single timer of a state behind a lock: its time is decided under the lock, but set without it, because some
/// clocks call immediately.
package final class Alarm: Sendable {
    private struct State {
        var time: TimeInterval?
        var cancel: (@Sendable () -> Void)?
    }

    private let clock: Timekeeper
    private let state = Locked(State())

    package init(_ clock: Timekeeper) { self.clock = clock }

    /// Decides when it calls `fire`, once, by the clock's uptime (some clocks are early); nil for never. Returns what
    /// to do without the lock, or nil if nothing changes.
    package func plan(
        _ time: TimeInterval?, _ fire: @escaping @Sendable () -> Void
    ) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard time != state.time else { return nil }
            let former = state.cancel
            state = State(time: time)
            return {
                former?()
                if let time { self.set(time, fire) }
            }
        }
    }

    private func set(_ time: TimeInterval, _ fire: @escaping @Sendable () -> Void) {
        let cancel = clock.schedule(max(0, time - clock.uptime())) {
            let isDue = self.state.withLock { state in
                guard state.time == time else { return false }
                state = State()
                return true
            }
            if isDue { fire() }
        }
        let isLate = state.withLock { state in
            guard state.time == time else { return true }
            state.cancel = cancel
            return false
        }
        if isLate { cancel() }
    }
}
