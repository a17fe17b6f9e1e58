import Foundation
import PledgeCoding
import PledgeHTTP

/// The rules of a batch: how many items and requests it runs at a time, and how long it waits. Times are in seconds.
public struct BatchRules: Sendable {
    /// The maximum number of items that work at the same time. Items that wait for a limit, a retry, or a service don't
    /// count.
    public var inFlight = 16
    /// The maximum number of requests that the whole batch sends in an hour; nil for no maximum. The batch sends them
    /// at even intervals.
    public var totalRate: Int?
    /// The maximum total time that an item may wait for limits and retries, even if a service asks for a longer wait.
    /// If a wait for a limit would exceed this maximum, the request is not sent, and its call rejects with an
    /// `ExchangeError` whose reason is `limited`. If a wait for a retry would exceed this maximum, the failed request
    /// is not sent again.
    public var longestWait = 3600.0
    /// The time to wait for a service that is down. If the service doesn't work again by then, the batch gives up the
    /// items that need it.
    public var outageWait = 900.0
    /// The time to wait after a response with the status code 429 that does not say how long to wait.
    public var limitDelay = 900.0
    /// The maximum time that an item may work; nil for no maximum. The time that the item waits for a limit, a retry,
    /// or a service that is down does not count. An item that exceeds the maximum fails with
    /// ``BatchError/timedOut(seconds:)``.
    public var longestWork: Double?
    /// The maximum number of times that a failing request is sent. Attempts that were refused because of a rate limit
    /// don't count.
    public var attempts = 5
    /// The number of items that must fail one after another before the batch considers their service down.
    ///
    /// An item doesn't count if it may have caused its failures itself. These are the items that failed in the previous
    /// run, and the items that failed earlier in this run while the service answered other items. If no connection to
    /// the service could be made, every item counts, because no item can cause that.
    public var suspects = 5
    /// The maximum number of waiting items. While this many items wait, the batch takes no new items.
    public var mostParked = 10_000

    /// Creates the default rules.
    public init() {}

    /// The rule for retries. A batch has time. Therefore, responses that refuse a request because of a rate limit don't
    /// count as attempts, and only ``longestWait`` bounds the waits for limits.
    package var retry: RetryRule {
        var rule = RetryRule(
            attempts: attempts, longestWait: longestWait, statuses: Diagnosis.passingStatuses, limitDelay: limitDelay)
        rule.countsLimits = false
        return rule
    }
}

/// The rate limit that the requests of an item count toward.
public struct BatchLimit: Sendable {
    /// The name of the service. An outage affects all items whose service has the same name.
    public var service: String
    /// A text that is the same for all items that share the limit, such as the access token. The batch keeps only a
    /// hash of the text. Nil means that no other item shares the limit.
    public var token: String?
    /// The number of requests that the service permits in a period, at least 1. It is nil if the service announces its
    /// limit in its responses.
    public var requests: Int?
    /// The period of the limit, in seconds. The services of a batch may have different periods.
    public var period = 3600.0

    /// Creates the limit of an item's requests. The parameters are the properties with the same names.
    public init(service: String, token: String? = nil, requests: Int? = nil, period: Double = 3600) {
        self.service = service
        self.token = token
        self.requests = requests
        self.period = period
    }
}

extension BatchLimit: Redacted {
    /// The name of the service, without the token.
    public var description: String { "BatchLimit(\(service))" }
}
