#if os(Linux)
    import Foundation
    import FoundationNetworking

    /// The sessions of a transport.
    struct SessionLines: Sendable {
        private let line: SessionLine
        // On a kept connection that is dead, Foundation on Linux sends an empty POST a second time, and waits forever
        // after any other: requests that must not be repeated get their own connection.
        private let writeLine: SessionLine
        private let proxy: ProxyRule

        init(_ configuration: URLSessionConfiguration, proxy: ProxyRule) {
            (line, writeLine) = (SessionLine(configuration), SessionLine(configuration))
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

        /// The environment, which Foundation's libcurl reads for every connection; no session can override it. libcurl
        /// would use a proxy even for this machine.
        private static let environment = ProcessInfo.processInfo.environment

        /// What libcurl derives from it for each scheme, computed once because the environment is long.
        private static let (plainRule, secureRule) = (rule(isPlain: true), rule(isPlain: false))

        static func rule(isPlain: Bool, in environment: [String: String] = environment) -> ProxyRule {
            var names = environment
            if isPlain {
                names["https_proxy"] = names["http_proxy"]
                names["HTTPS_PROXY"] = nil
            }
            // Other kinds of exception are unknown to libcurl, or were added only recently.
            let exceptions = (names["no_proxy"] ?? names["NO_PROXY"] ?? "").split { $0 == "," || $0.isWhitespace }
            let known = exceptions.filter { $0 == "::1" || !$0.contains { "*:/".contains($0) } }
            names["no_proxy"] = exceptions == ["*"] ? "*" : known.joined(separator: ",")
            names["NO_PROXY"] = nil
            return ProxyRule(environment: names)
        }

        private static func libcurlsChoice(for url: URL) -> URL? {
            let rule = url.scheme?.lowercased() == "http" ? plainRule : secureRule
            // An invalid proxy must not count as none: it becomes the URL itself, which is no rule's proxy.
            do { return try rule.choice(for: url) } catch { return url }
        }
    }
#endif
