import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session and its delegate. They live as long as the transport.
final class SessionLine: Sendable {
    let session: URLSession
    let delegate = SessionDelegate()
    /// The queue that creates, resumes, and cancels tasks. On Linux, each of these waits for Foundation, which may
    /// itself wait for room in the delegate's queue. If they were done on the delegate's queue, where a handler may
    /// send the next request, they would deadlock.
    let queue = DispatchQueue(label: "pledge.session")

    init(_ configuration: URLSessionConfiguration) {
        #if os(Linux)
            let queue = BoundedOperationQueue()
        #else
            let queue: OperationQueue? = nil
        #endif
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }
}

#if !os(Linux)
    /// The sessions of a transport. One uses no proxy, and the other is for the other requests, because a session has a
    /// single proxy setting.
    struct SessionLines: Sendable {
        private let direct: SessionLine
        private let other: SessionLine
        private let proxy: ProxyRule

        init(_ configuration: URLSessionConfiguration, proxy: ProxyRule) {
            self.proxy = proxy
            // If the dictionary is nil, the system's settings apply.
            configuration.connectionProxyDictionary = proxy.followsSystem ? nil : proxy.dictionary
            other = SessionLine(configuration)
            configuration.connectionProxyDictionary = [:]
            direct = SessionLine(configuration)
        }

        /// Returns the session to use for a request. Throws if the URL of the proxy is invalid.
        func line(for request: OutgoingRequest) throws(TransportError) -> SessionLine {
            let isProxied = try proxy.proxy(for: request.url) != nil
            return isProxied || (proxy.followsSystem && ProxyRule.mayProxy(request.url)) ? other : direct
        }
    }

    extension ProxyRule {
        /// The proxy, as a dictionary for the configuration of a session.
        fileprivate var dictionary: [AnyHashable: Any] {
            guard let address, let host = address.host else { return [:] }
            let port = address.port ?? 1080
            return address.scheme?.lowercased().hasPrefix("socks") == true
                ? ["SOCKSEnable": 1, "SOCKSProxy": host, "SOCKSPort": port]
                : ["HTTPSEnable": 1, "HTTPSProxy": host, "HTTPSPort": port]
        }
    }
#endif

#if os(Linux)
    import FoundationNetworking

    /// The sessions of a transport.
    struct SessionLines: Sendable {
        private let line: SessionLine
        // If a kept connection is dead, Foundation on Linux sends an empty POST a second time, and waits forever after
        // any other. So requests that must not be repeated get their own connection.
        private let writeLine: SessionLine
        private let proxy: ProxyRule

        init(_ configuration: URLSessionConfiguration, proxy: ProxyRule) {
            line = SessionLine(configuration)
            writeLine = SessionLine(configuration)
            self.proxy = proxy
        }

        /// Returns the session to use for a request. Throws if the request would not take the route of the proxy rule.
        func line(for request: OutgoingRequest) throws(TransportError) -> SessionLine {
            let wanted = try proxy.proxy(for: request.url)
            guard wanted == Self.libcurlsChoice(for: request.url) else {
                throw .unsendable(
                    wanted == nil
                        ? "URLSession on Linux would go through a proxy that the environment names: list the host in "
                            + "no_proxy before the program starts, or use libcurl"
                        : "URLSession on Linux takes its proxy from the environment alone; name it in https_proxy")
            }
            return request.method.isIdempotent ? line : writeLine
        }

        /// The environment. Foundation's libcurl reads it for every connection, and no session can override it. libcurl
        /// would use a proxy even for this machine.
        private static let environment = ProcessInfo.processInfo.environment

        /// The rules that libcurl derives from the environment for each scheme. They are computed once, because the
        /// environment is long.
        private static let plainRule = rule(isPlain: true)
        private static let secureRule = rule(isPlain: false)

        static func rule(isPlain: Bool, in environment: [String: String] = environment) -> ProxyRule {
            var names = environment
            if isPlain {
                names["https_proxy"] = names["http_proxy"]
                names["HTTPS_PROXY"] = nil
            }
            // libcurl doesn't know other kinds of exceptions, or has only known them recently.
            let exceptions = (names["no_proxy"] ?? names["NO_PROXY"] ?? "").split { $0 == "," || $0.isWhitespace }
            let known = exceptions.filter { $0 == "::1" || !$0.contains { "*:/".contains($0) } }
            names["no_proxy"] = exceptions == ["*"] ? "*" : known.joined(separator: ",")
            names["NO_PROXY"] = nil
            return ProxyRule(environment: names)
        }

        private static func libcurlsChoice(for url: URL) -> URL? {
            let rule = url.scheme?.lowercased() == "http" ? plainRule : secureRule
            // An invalid proxy must not count as no proxy. It becomes the URL itself, which no rule has as its proxy.
            do { return try rule.choice(for: url) } catch { return url }
        }
    }
#endif
