import Foundation
import Pledge
import PledgeCoding

extension EndpointClient {
    /// The options that configure a client, the same for any service.
    ///
    /// ```swift
    /// ExistAPI(token: token, options: ExistAPI.defaultOptions.with { $0.limiter = RateLimiter(limit: 300) })
    /// ```
    public struct Options: Sendable {
        /// The transport that sends the requests.
        public var transport: any HTTPTransport = StandardTransport.shared
        /// The clock used for waiting and for the current time.
        public var clock = Timekeeper.live
        /// The time limit for one attempt, in seconds. It includes the time to connect, but not the time in which the
        /// transport waits for other requests to the same origin: if you send a thousand at once, the last ones would
        /// otherwise fail although the service works. ``totalTimeout`` includes that time.
        public var timeout: TimeInterval = 30
        /// The time limit for the whole call, in seconds, including waits and retries; nil for no limit.
        public var totalTimeout: TimeInterval?
        /// The maximum size of a response body after decompression, in bytes.
        public var bodyLimit = 64 << 20
        /// The body limit for services with paged lists, whose largest pages have a few hundred kilobytes: decoded
        /// values take up to a dozen times the size of a response.
        package static let pageLimit = 8 << 20
        /// The rule that determines when a request is retried.
        public var retry = RetryRule()
        /// The rate limiter; nil sends requests immediately. Share one among all clients of a token.
        public var limiter: RateLimiter?
        /// A closure that returns the rate limit of a response, for a service that announces it in its own way. If the
        /// closure returns nil, the usual headers count; see ``RateLimit/init(_:now:)``. It runs on any thread.
        ///
        /// If no requests remain, a ``limiter`` sends none before ``RateLimit/resetsAt``. A 429 or 403 with such a limit
        /// is then retried.
        ///
        /// ```swift
        /// // {"error": "slow down", "retry_after": 7}
        /// options.limits = { response in
        ///     guard let refusal = try? response.json(Refusal.self) else { return nil }
        ///     return RateLimit(limit: nil, remaining: 0, resetsAt: Date(timeIntervalSinceNow: refusal.retryAfter))
        /// }
        /// ```
        public var limits: @Sendable (_ response: RawResponse) -> RateLimit? = { _ in nil }
        func rateLimit(in response: RawResponse, now: Date) -> RateLimit? {
            limits(response) ?? RateLimit(response.headers, now: now)
        }
        /// Returns a request at the gate in place of the limiter and the retry rule; nil if those decide.
        package var gate: (@Sendable (_ mayRepeat: Bool) -> any GatedRequest)?
        func makeGate(mayRepeat: Bool) -> any GatedRequest {
            gate?(mayRepeat) ?? ClientGate(limiter, retry, clock, mayRepeat: mayRepeat)
        }
        /// The hosts, besides this machine, to which requests may be sent over plain `http`, such as the name of a
        /// container with a sandbox. Everyone on the way can read a token there, and change what is sent and received.
        public var plainHTTPHosts: Set<String> = []
        /// The most that one call may use over all of its pages.
        public var budget = Budget()
        /// The budget that all calls of a command share; nil if each has its own.
        package var meter: BudgetMeter?
        /// The value of the `User-Agent` header.
        public var userAgent = "Pledge/1"
        /// The headers of every request. By default, text is requested in English: on Apple platforms, `URLSession`
        /// would otherwise send the device's languages, and an error's message would depend on where it occurred.
        public var headers: HeaderFields = ["Accept-Language": "en"]
        /// A closure that may change a request before each sending, retries included, for a signature or a trace
        /// header. It runs on any thread, with the credential already in the headers. The request must stay within the
        /// origin of the base URL. An error that the closure throws ends the call.
        ///
        /// Capture what the closure needs. It sees the caller's task-local values only if the request is sent at once.
        /// Handlers of the promise, such as `then`, never see them.
        public var adapt: (@Sendable (_ request: inout OutgoingRequest) throws -> Void)?
        /// The way JSON is encoded and decoded.
        public var json = JSONCoding.plain
        /// A handler for events, called on any thread; texts that repeat a secret are already left out.
        public var observer: (@Sendable (ExchangeEvent) -> Void)?
        /// A handler for waits of any length, for a limit or before a request is repeated, called before each.
        package var onWait: (@Sendable (RequestWait) -> Void)?
        /// A handler for items of a response that could not be decoded and are missing from the result, and for kept
        /// ones that are not as promised, such as with a field that is nil because it could not be read. It receives
        /// the name of the list, and the item's position and problem. Nil logs them.
        public var onUnreadable: (@Sendable (_ list: String, _ item: UnreadableItem) -> Void)?
        /// A closure that returns the service's message in a failed response, or nil. The default searches the usual
        /// places: `message`, `error` with its `error_description`, `detail`, `title` and others, the `message` of an
        /// `error` that is an object, and the `message` or `detail` of each of the `errors`. The message is shown on one line, or as “…” if it repeats
        /// a secret of the request.
        public var findMessage: @Sendable (RawResponse) -> String? = { ServiceMessage.find(in: $0) }
        /// A closure that returns the advice that ends an error's description, or nil for the default advice.
        public var advise: @Sendable (ExchangeError) -> String? = { _ in nil }

        /// Creates options that suit most clients.
        public init() {}

        /// Returns a copy of the options, modified by `change`.
        public func with(_ change: (inout Options) -> Void) -> Options {
            var options = self
            change(&options)
            return options
        }

        /// Reports items that could not be decoded.
        package func report(_ items: [UnreadableItem], of list: String, by kit: String) {
            for item in items {
                if let onUnreadable {
                    onUnreadable(list, item)
                } else {
                    let words =
                        item.isKept
                        ? "read in \(list) what is not as promised" : "left out of \(list) what it could not read"
                    PromiseConfiguration.log(.note("\(kit) \(words): \(item)"))
                }
            }
        }
    }
}
