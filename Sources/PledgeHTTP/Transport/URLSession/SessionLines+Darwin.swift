#if !os(Linux)
    import Foundation

    /// The sessions of a transport: one without a proxy, one for the rest, as a session has a single setting.
    struct SessionLines: Sendable {
        private let direct: SessionLine
        private let other: SessionLine
        private let proxy: ProxyRule

        init(_ configuration: URLSessionConfiguration, proxy: ProxyRule) {
            self.proxy = proxy
            // With nil, the system's settings apply.
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
        /// The proxy as a dictionary for a session's configuration.
        fileprivate var dictionary: [AnyHashable: Any] {
            guard let address, let host = address.host else { return [:] }
            let port = address.port ?? 1080
            return address.scheme?.lowercased().hasPrefix("socks") == true
                ? ["SOCKSEnable": 1, "SOCKSProxy": host, "SOCKSPort": port]
                : ["HTTPSEnable": 1, "HTTPSProxy": host, "HTTPSPort": port]
        }
    }
#endif
