#if os(Linux)
    import Foundation
    import Pledge
    internal import PledgeCurl

    /// Carries requests with the libcurl that FoundationNetworking has loaded anyway, at a tenth of its cost.
    ///
    /// One thread of its own does all the waiting, and connections are kept from one request to the next. Certificates
    /// are always checked. It follows no redirect, keeps no cookie, and reads no `.netrc`. A request is sent once: where libcurl would quietly send it again because a kept connection had died,
    /// the request is rejected with ``TransportError/connectionLost(_:)``, and the caller decides.
    ///
    /// Requests that are under way when the last reference goes are still answered.
    public final class CurlTransport: HTTPTransport {
        /// How a transport goes about its work.
        public struct Options: Sendable {
            /// How many requests to have under way, and connections to keep; others wait their turn, without that
            /// counting towards their time-out.
            public var requestsInFlight = 8
            /// Seconds to wait for a connection.
            public var connectTimeout: TimeInterval = 10
            /// Seconds to wait for the next byte of a reply; nil for as long as the whole exchange may take.
            public var idleTimeout: TimeInterval?
            /// Which requests go through a proxy.
            public var proxy = ProxyRule.environment
            /// A PEM file of the certificates to trust in place of the system's.
            public var trustedCertificates: URL?

            /// Makes options with which most programs do well.
            public init() {}
        }

        /// Why there can be no such transport here.
        public struct Unavailable: Error, CustomStringConvertible {
            public let description: String
        }

        private let loop: CurlLoop
        private let proxy: ProxyRule

        /// A transport with connections and a thread of its own.
        ///
        /// - Throws: ``Unavailable`` where libcurl is missing, or older than 7.80.
        public init(_ options: Options = Options()) throws(Unavailable) {
            if let problem = pledge_curl_load() { throw Unavailable(description: String(cString: problem)) }
            guard let loop = CurlLoop(options) else { throw Unavailable(description: "libcurl has no memory left") }
            self.loop = loop
            proxy = options.proxy
            let thread = Thread { loop.run() }
            thread.name = "pledge.curl"
            thread.start()
        }

        deinit {
            loop.close()
        }

        /// The version of libcurl in use; empty where there is none.
        public static var libraryVersion: String { String(cString: pledge_curl_version()) }

        /// Sends a request; see ``HTTPTransport/send(_:)``.
        public func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
            if let problem = request.problem { return Promise(error: TransportError.unsendable(problem)) }
            let proxy: URL?
            do { proxy = try self.proxy.proxy(for: request.url) } catch { return Promise(error: error) }
            let (promise, seal) = Promise<HTTPReply>.pending()
            let exchange = CurlExchange(request: request, proxy: proxy, seal: seal)
            seal.onCancel { [loop] in loop.cancel(exchange) }
            loop.add(exchange)
            return promise
        }
    }
#endif
