import Foundation
import Pledge

extension EndpointClient {
    /// The most that one call may use over all of its pages, retries, and parallel lists.
    ///
    /// Before each request, the call fails with ``BudgetExceeded`` if any part is used up, so that a service whose list
    /// never ends cannot occupy a client forever. A single response is limited by ``Options/bodyLimit``. A list that is
    /// returned as a whole takes up to a dozen times ``bytes`` in memory.
    ///
    /// ```swift
    /// let options = EndpointClient.Options().with { $0.budget.requests = 10_000 }
    /// ```
    public struct Budget: Sendable, Equatable {
        /// The number of requests, including retries.
        public var requests: Int
        /// The total size of the response bodies after decompression, in bytes.
        public var bytes: Int
        /// The number of items on all pages, including those that could not be decoded.
        public var items: Int
        /// The time since the first request, in seconds, including waits and, between pages, the caller's own time.
        public var seconds: TimeInterval
        /// The number of pages in a row without an item, as a filtered list may have them. A list with more fails with
        /// ``RepeatedPages``.
        public var emptyPages: Int

        /// Creates a budget; the default values suit lists that fit in memory.
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

/// The error of a call that has used up a part of its budget, and what it received until then.
public struct BudgetExceeded: Error, Equatable, Sendable, CustomStringConvertible {
    /// The limits of a budget.
    public enum Limit: String, Sendable, CaseIterable {
        /// All requests were sent: ``EndpointClient/Budget/requests``.
        case requests
        /// All bytes were received: ``EndpointClient/Budget/bytes``.
        case bytes
        /// All items were received: ``EndpointClient/Budget/items``.
        case items
        /// All time has passed: ``EndpointClient/Budget/seconds``.
        case seconds
    }

    /// The limit that is used up.
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

/// The part of a budget that a call, or all calls of a command, have used.
package final class BudgetMeter: Sendable {
    private struct Used {
        var requests = 0
        var bytes = 0
        var items = 0
        var begun: TimeInterval?
        var sent = 0
    }

    let budget: EndpointClient.Budget
    private let clock: Timekeeper
    private let used = Locked(Used())

    package init(_ budget: EndpointClient.Budget, clock: Timekeeper = .live) {
        self.budget = budget
        self.clock = clock
    }

    /// Counts requests that are about to be sent. Fails if anything is used up.
    func take(requests: Int = 0) throws(BudgetExceeded) {
        let now = clock.uptime()
        let exceeded = used.withLock { used -> BudgetExceeded? in
            let begun = used.begun ?? now
            used.begun = begun
            let limit: BudgetExceeded.Limit
            if used.requests >= budget.requests {
                limit = .requests
            } else if used.bytes >= budget.bytes {
                limit = .bytes
            } else if used.items >= budget.items {
                limit = .items
            } else if now - begun >= budget.seconds {
                limit = .seconds
            } else {
                used.requests += requests
                return nil
            }
            return BudgetExceeded(
                limit: limit, budget: budget, requests: used.requests, bytes: used.bytes, items: used.items)
        }
        if let exceeded { throw exceeded }
    }

    /// The number of requests that were sent; one that was counted may have failed before, such as for its token.
    var sent: Int { used.withLock(\.sent) }
    func addSent() { used.withLock { $0.sent += 1 } }

    func add(bytes: Int) { used.withLock { $0.bytes += bytes } }

    func add(items: Int) { used.withLock { $0.items += items } }
}
