import Foundation
import Pledge

extension EndpointClient {
    /// The limits of what one call may use, including all of its pages, retries, and parallel lists. These limits
    /// ensure that a service whose list never ends cannot occupy a client forever.
    ///
    /// The client checks the limits before each request. If a limit is reached, the call fails with ``BudgetExceeded``.
    /// The size of a single response is limited by ``Options/bodyLimit``. A list that is returned as a whole takes up
    /// to a dozen times ``bytes`` in memory.
    ///
    /// ```swift
    /// let options = EndpointClient.Options().with { $0.budget.requests = 10_000 }
    /// ```
    public struct Budget: Sendable, Equatable {
        /// The maximum number of requests, including retries.
        public var requests: Int
        /// The maximum total size of the response bodies after decompression, in bytes.
        public var bytes: Int
        /// The maximum number of items on all pages, including those that could not be decoded.
        public var items: Int
        /// The maximum time since the first request, in seconds. It includes waits, and the time that the caller takes
        /// between pages.
        public var seconds: TimeInterval
        /// The number of consecutive pages without an item after which a list fails with ``RepeatedPages``, unless the
        /// list has ended by then. A filtered list may have some such pages.
        public var emptyPages: Int

        /// Creates a budget. The default values suit lists that fit into memory.
        public init(
            requests: Int = 2_000, bytes: Int = 64 << 20, items: Int = 200_000, seconds: TimeInterval = 86_400,
            emptyPages: Int = 100
        ) {
            self.requests = requests
            self.bytes = bytes
            self.items = items
            self.seconds = seconds
            self.emptyPages = emptyPages
        }
    }
}

/// The error of a call that has reached a limit of its budget. The error says what the call received before that.
public struct BudgetExceeded: Error, Equatable, Sendable, CustomStringConvertible {
    /// The limits of a budget.
    public enum Limit: String, Sendable, CaseIterable {
        /// The call has sent as many requests as ``EndpointClient/Budget/requests`` permits.
        case requests
        /// The call has received as many bytes as ``EndpointClient/Budget/bytes`` permits.
        case bytes
        /// The call has received as many items as ``EndpointClient/Budget/items`` permits.
        case items
        /// The call has taken as long as ``EndpointClient/Budget/seconds`` permits.
        case seconds
    }

    /// The limit that was reached.
    public let limit: Limit
    /// The budget of the call.
    public let budget: EndpointClient.Budget
    /// The number of requests that were sent.
    public let requests: Int
    /// The number of bytes that were received.
    public let bytes: Int
    /// The number of items that were received.
    public let items: Int

    public var description: String {
        let most =
            switch limit {
            case .requests: "\(budget.requests)"
            case .bytes: "\(budget.bytes)"
            case .items: "\(budget.items)"
            case .seconds: Int(exactly: budget.seconds).map { "\($0)" } ?? "\(budget.seconds)"
            }
        return "the budget of \(most) \(limit.rawValue) is used up, after \(requests) requests with \(items) items in "
            + "\(bytes) bytes"
    }
}

/// Measures how much of a budget has been used. The budget belongs to one call, or to all calls of a command.
package final class BudgetMeter: Sendable {
    private struct Used {
        var requests = 0
        var bytes = 0
        var items = 0
        var begun: TimeInterval?
        var sent = 0

        /// Returns an error if a limit of the budget has been reached. Time counts from the first call of this method.
        mutating func excess(of budget: EndpointClient.Budget, now: TimeInterval) -> BudgetExceeded? {
            let begun = begun ?? now
            self.begun = begun
            let limit: BudgetExceeded.Limit
            if requests >= budget.requests {
                limit = .requests
            } else if bytes >= budget.bytes {
                limit = .bytes
            } else if items >= budget.items {
                limit = .items
            } else if now - begun >= budget.seconds {
                limit = .seconds
            } else {
                return nil
            }
            return BudgetExceeded(limit: limit, budget: budget, requests: requests, bytes: bytes, items: items)
        }
    }

    let budget: EndpointClient.Budget
    private let clock: Timekeeper
    private let used = Locked(Used())

    package init(_ budget: EndpointClient.Budget, clock: Timekeeper = .live) {
        self.budget = budget
        self.clock = clock
    }

    /// Throws if a limit of the budget has been reached.
    func check() throws(BudgetExceeded) {
        let now = clock.uptime()
        if let excess = used.withLock({ $0.excess(of: budget, now: now) }) { throw excess }
    }

    /// Counts a request that is about to be sent. Throws if a limit of the budget has been reached.
    func takeRequest() throws(BudgetExceeded) {
        let now = clock.uptime()
        let excess = used.withLock { used in
            let excess = used.excess(of: budget, now: now)
            if excess == nil { used.requests += 1 }
            return excess
        }
        if let excess { throw excess }
    }

    /// The number of requests that were sent. This may be fewer than `takeRequest` has counted, because a request can
    /// fail before it is sent. For example, there may be no token.
    var sent: Int { used.withLock(\.sent) }
    func addSent() { used.withLock { $0.sent += 1 } }

    func add(bytes: Int) { used.withLock { $0.bytes += bytes } }

    func add(items: Int) { used.withLock { $0.items += items } }
}
