import PledgeCoding
import PledgeHTTP

/// The limits on what a batch does at a time, and on how long it waits. Times are in seconds.
public struct BatchRules: Sendable {
    /// The maximum number of items at work. An item that waits for a limit, a retry, or a service is not among them.
    public var inFlight = 16
    /// The maximum number of requests of the whole batch in an hour. They are sent at even intervals. Nil for no
    /// maximum.
    public var totalRate: Int?
    /// The maximum total time that an item may wait for limits, even if a service asks for more. If a request would
    /// exceed it, that request rejects with an `ExchangeError` for the reason `limited`.
    public var longestWait = 3600.0
    /// The time to wait for a service that is down, before the items that need it are given up.
    public var outageWait = 900.0
    /// The time to wait after a 429 that does not specify how long to wait.
    public var limitDelay = 900.0
    /// The maximum time that an item may be at work, in seconds; nil for no maximum. The time in which the item waits
    /// for a limit, a retry, or a service that is down does not count. An item that exceeds the maximum fails with
    /// ``BatchError/timedOut(seconds:)``.
    public var longestWork: Double?
    /// The maximum number of attempts of a request that fails.
    public var attempts = 5
    /// The number of items that must fail one after another before a service is considered down. An item that failed
    /// before isn't counted if the service has answered other items since, or if the item failed in the previous run.
    public var suspects = 5
    /// The number of waiting items from which on the batch takes no more items.
    public var mostParked = 10_000

    /// Creates the default rules.
    public init() {}

    /// The rule for retries. An item has time, so only ``longestWait`` determines how often it may be limited.
    package var retry: RetryRule {
        var rule = RetryRule(
            attempts: attempts, longestWait: longestWait, statuses: Diagnosis.passingStatuses, limitDelay: limitDelay)
        rule.countsLimits = false
        return rule
    }
}

/// The limit that a request counts toward.
public struct BatchLimit: Sendable {
    /// The name of the service. An outage affects all items whose service has the same name.
    public var service: String
    /// A text that identifies whoever has the limit, such as a token. The batch only keeps a hash of the text. Nil if
    /// the item shares its limit with no other.
    public var token: String?
    /// The number of requests in a period, at least 1; nil if the service announces its limit.
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
