#if os(Linux)
    import Foundation
    import Pledge
    import PledgeCoding

    internal import PledgeLibraries

    /// A transport that uses the libcurl that FoundationNetworking already loads. A request costs a tenth of what it
    /// costs with FoundationNetworking's own transport.
    ///
    /// One thread waits for all requests, and connections are reused. Certificates are always verified. The transport
    /// follows no redirects, keeps no cookies, and does not read `.netrc`.
    ///
    /// A request is sent only once. If a kept connection is dead, libcurl would silently send the request again. This
    /// transport instead rejects the request with ``TransportError/connectionLost(_:)``, and the caller decides whether
    /// to repeat it.
    ///
    /// If the last reference to the transport is released while requests are in progress, these requests are still
    /// completed.
    public final class CurlTransport: HTTPTransport {
        /// The options of a libcurl transport.
        public struct Options: Sendable {
            /// The maximum number of requests in progress to one origin, and of connections to it. Further requests
            /// wait for their turn. Their wait counts toward ``EndpointClient/Options/totalTimeout``, but not toward
            /// the time limit of an attempt.
            public var requestsInFlight = StandardTransport.defaultRequestsInFlight
            /// The time limit for establishing a connection, in seconds.
            public var connectTimeout: TimeInterval = 10
            /// The time limit for the next byte, in seconds, once there is a connection. If this is nil, only the time
            /// limit of the whole exchange applies.
            public var idleTimeout: TimeInterval?
            /// The rule that determines which requests use a proxy.
            public var proxy = ProxyRule.environment
            /// A PEM file with the certificates to trust in place of the system's.
            public var trustedCertificates: URL?

            /// Creates options that suit most programs.
            public init() {}
        }

        /// The error that is thrown when libcurl cannot be used.
        public struct Unavailable: Error, CustomStringConvertible {
            public let description: String
        }

        private let loop: CurlLoop
        private let proxy: ProxyRule
        private let semaphore: Semaphore

        /// Creates a transport with its own connections and thread. Throws if libcurl is missing, or older than version
        /// 7.80.
        public init(_ options: Options = Options()) throws(Unavailable) {
            if let problem = pledge_curl_load() { throw Unavailable(description: String(cString: problem)) }
            guard let loop = CurlLoop(options) else { throw Unavailable(description: "libcurl is out of memory") }
            self.loop = loop
            proxy = options.proxy
            semaphore = Semaphore(width: options.requestsInFlight)
            let thread = Thread { loop.run() }
            thread.name = "pledge.curl"
            thread.start()
        }

        deinit {
            loop.close()
        }

        public var streamsFiles: Bool { true }

        public func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
            if let problem = request.problem { return Promise(error: TransportError.unsendable(problem)) }
            let proxy: URL?
            do { proxy = try self.proxy.proxy(for: request.url) } catch { return Promise(error: error) }
            // The closure retains the transport until the request has been given to the loop, because the loop ends
            // when the transport is released.
            return semaphore.enter(request) { [self] in
                Promise { [loop] seal in
                    let exchange = CurlExchange(request: request, proxy: proxy, seal: seal)
                    seal.onCancel { loop.cancel(exchange) }
                    loop.add(exchange)
                }
            }
        }
    }

    extension CurlTransport: Redacted {
        /// The transport's name and its proxy. The description contains nothing of its requests.
        public var description: String { "CurlTransport(\(proxy))" }
    }
#endif
