#if !os(Linux)
    import Foundation

    /// The sessions of a transport: one that uses no proxy, and one for the rest, because a session has one way for all.
    struct SessionLines: Sendable {
        private let direct: SessionLine
        private let other: SessionLine
        private let proxy: ProxyRule

        init(_ configuration: URLSessionConfiguration, proxy: ProxyRule) {
            self.proxy = proxy
            // Nil are the system's settings.
            configuration.connectionProxyDictionary = proxy.followsSystem ? nil : proxy.dictionary
            other = SessionLine(configuration)
            configuration.connectionProxyDictionary = [:]
            direct = SessionLine(configuration)
        }

        /// The one to take.
        ///
        /// - Throws: if the address of the proxy cannot be read.
        func line(for request: OutgoingRequest) throws(TransportError) -> SessionLine {
            let isProxied = try proxy.proxy(for: request.url) != nil
            return isProxied || (proxy.followsSystem && ProxyRule.mayProxy(request.url)) ? other : direct
        }
    }

    extension ProxyRule {
        /// The proxy in the words of a session's configuration.
        fileprivate var dictionary: [AnyHashable: Any] {
            guard let address, let host = address.host else { return [:] }
            let port = address.port ?? 1080
            return address.scheme?.lowercased().hasPrefix("socks") == true
                ? ["SOCKSEnable": 1, "SOCKSProxy": host, "SOCKSPort": port]
                : ["HTTPSEnable": 1, "HTTPSProxy": host, "HTTPSPort": port]
        }
    }
#endif
