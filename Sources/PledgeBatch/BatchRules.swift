import PledgeCoding
import PledgeHTTP

/// The limits on what a batch does at once, and on how long it waits. Times are in seconds.
public struct BatchRules: Sendable {
    /// The maximum number of items at work. An item that waits for a limit, a retry, or a service is not among them.
    public var inFlight = 16
    /// The maximum number of requests of the whole batch in an hour, sent evenly; nil for no maximum.
    public var totalRate: Int?
    /// The maximum time that an item may wait for limits in total, whatever a service asks for; its next request then
    /// rejects with an `ExchangeError` for the reason `limited`.
    public var longestWait = 3600.0
    /// The time to wait for a service that is down, before the items that need it are given up.
    public var outageWait = 900.0
    /// The time to wait after a 429 that specifies none.
    public var limitDelay = 900.0
    /// The maximum time that an item may be at work, in seconds, not counting the time in which it waits for a limit, a
    /// retry, or a service that is down; nil for no maximum. It then fails with ``BatchError/timedOut(seconds:)``.
    public var longestWork: Double?
    /// The maximum number of attempts of a request that fails.
    public var attempts = 5
    /// The number of items that fail one after another after which a service is considered down. An item that failed
    /// before isn't counted if the service has answered others since, or if it failed in the run before this one.
    public var suspects = 5
    /// The number of waiting items at which no more are taken.
    public var mostParked = 10_000

    /// Creates the default rules.
    public init() {}

    /// The rule for retries. An item has time, so that only ``longestWait`` bounds how often it is limited.
    package var retry: RetryRule {
        var rule = RetryRule(
            attempts: attempts, longestWait: longestWait, statuses: Diagnosis.passingStatuses, limitDelay: limitDelay)
        rule.countsLimits = false
        return rule
    }
}

/// The limit that a request counts for.
public struct BatchLimit: Sendable {
    /// The name of the service, whose outages concern all items with this name.
    public var service: String
    /// Identifies whoever has the limit, such as a token, of which the batch keeps a hash only; nil if the item shares
    /// its limit with no other.
    public var token: String?
    /// The number of requests in a period, at least 1; nil if the service announces its limit.
    public var requests: Int?
    /// The period of the limit, in seconds; services of one batch may have different ones.
    public var period = 3600.0

    /// Creates the limit of an item's requests; the parameters are the properties of the same names.
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
