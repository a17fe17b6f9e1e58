import Foundation
import Pledge
import PledgeCoding

extension EndpointClient {
    /// How a client goes about its work: the one value that configures a client of any service.
    ///
    /// ```swift
    /// ExistAPI(token: token, options: ExistAPI.usualOptions.with { $0.limiter = RateLimiter(limit: 300) })
    /// ```
    public struct Options: Sendable {
        /// What carries the requests.
        public var transport: any HTTPTransport = StandardTransport.shared
        /// The clock, for all that waits or looks at the time.
        public var clock = Timekeeper.live
        /// Seconds for one attempt, from the moment it has a connection.
        public var timeout: TimeInterval = 30
        /// Seconds for the whole call, waits and further attempts included; nil for no end.
        public var totalTimeout: TimeInterval?
        /// Bytes of the largest reply to accept, after decompression.
        public var bodyLimit = 64 << 20
        /// The same for services whose lists come in pages, the largest of some hundred kilobytes: what is read takes up to
        /// a dozen times its bytes.
        package static let pageLimit = 8 << 20
        /// When to send a request again.
        public var retry = RetryRule()
        /// Spaces requests; nil lets them go at once. Share one among all clients of one token.
        public var limiter: RateLimiter?
        /// How to introduce oneself.
        public var userAgent = "Pledge/1"
        /// Header lines for every request. A service's words are asked for in English, or else `URLSession` would ask
        /// for them in the device's languages on Apple platforms, and an error's text would depend on where it happened.
        public var headers: HeaderFields = ["Accept-Language": "en"]
        /// How JSON is read and written.
        public var json = JSONCoding.plain
        /// Told what happens, from any thread; secrets are already gone.
        public var observer: (@Sendable (ExchangeEvent) -> Void)?
        /// Told of items in a reply that could not be read, and are therefore missing from the result: the list's name,
        /// and where and why. Nil logs them.
        public var onUnreadable: (@Sendable (_ list: String, _ item: UnreadableItem) -> Void)?
        /// Finds the service's own words in a failed reply, nil where there are none; the usual places unless given. What
        /// it returns is shown on one line, without what was secret in the request.
        public var findMessage: @Sendable (HTTPReply) -> String? = { ServiceMessage.find(in: $0) }
        /// Says what to do next about an error, in a sentence that ends its description; nil for the usual advice.
        public var advise: @Sendable (ExchangeError) -> String? = { _ in nil }

        /// Makes options with which most clients do well.
        public init() {}

        /// The same but for what `change` changes.
        public func with(_ change: (inout Options) -> Void) -> Options {
            var options = self
            change(&options)
            return options
        }

        /// Tells of what could not be read.
        package func report(_ items: [UnreadableItem], of list: String, by kit: String) {
            for item in items {
                if let onUnreadable {
                    onUnreadable(list, item)
                } else {
                    PromiseConfiguration.log(.note("\(kit) left out of \(list) what it could not read: \(item)"))
                }
            }
        }
    }
}
