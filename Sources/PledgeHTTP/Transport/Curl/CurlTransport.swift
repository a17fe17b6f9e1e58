#if os(Linux)
    import Foundation
    import Pledge
    import PledgeCoding
    internal import PledgeLibraries

    /// A transport over the libcurl that FoundationNetworking already loads, at a tenth of its cost.
    ///
    /// Its own thread does all the waiting, and connections are reused. Certificates are always verified. It follows no
    /// redirect, keeps no cookie, and reads no `.netrc`. A request is sent once: where libcurl would silently resend it
    /// because a kept connection is dead, it is rejected with ``TransportError/connectionLost(_:)``; the caller
    /// decides.
    ///
    /// Requests in progress when the last reference is released are still completed.
    public final class CurlTransport: HTTPTransport {
        /// The options of a libcurl transport.
        public struct Options: Sendable {
            /// The maximum number of requests in progress to one origin, and of connections to it. Further requests
            /// wait their turn, which counts toward ``EndpointClient/Options/totalTimeout``, but not toward their own
            /// time limit.
            public var requestsInFlight = 8
            /// The time limit for a connection, in seconds.
            public var connectTimeout: TimeInterval = 10
            /// The time limit for the next byte of a response, in seconds; nil for that of the whole exchange.
            public var idleTimeout: TimeInterval?
            /// The rule that determines which requests use a proxy.
            public var proxy = ProxyRule.environment
            /// A PEM file with the certificates to trust in place of the system's.
            public var trustedCertificates: URL?

            /// Creates options that suit most programs.
            public init() {}
        }

        /// An error thrown when libcurl cannot be used.
        public struct Unavailable: Error, CustomStringConvertible {
            public let description: String
        }

        private let loop: CurlLoop
        private let proxy: ProxyRule
        private let semaphore: Semaphore

        /// Creates a transport with its own connections and thread. Throws if libcurl is missing or older than 7.80.
        public init(_ options: Options = Options()) throws(Unavailable) {
            if let problem = pledge_curl_load() { throw Unavailable(description: String(cString: problem)) }
            guard let loop = CurlLoop(options) else { throw Unavailable(description: "libcurl has no memory left") }
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
            // Until a request is in the loop, it retains the transport, whose release ends the loop.
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
        /// The transport's name and its proxy, and nothing of its requests.
        public var description: String { "CurlTransport(\(proxy))" }
    }
#endif
