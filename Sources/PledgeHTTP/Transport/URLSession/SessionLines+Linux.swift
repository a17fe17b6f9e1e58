#if os(Linux)
    import Foundation
    import FoundationNetworking

    /// The sessions of a transport.
    struct SessionLines: Sendable {
        private let line: SessionLine
        // Where a kept connection turns out to be dead, Foundation on Linux sends an empty POST a second time, and waits
        // for ever after any other: what is not to be repeated gets a connection of its own there.
        private let writeLine: SessionLine
        private let proxy: ProxyRule

        init(_ configuration: URLSessionConfiguration, proxy: ProxyRule) {
            (line, writeLine) = (SessionLine(configuration), SessionLine(configuration))
            self.proxy = proxy
        }

        /// The one to take.
        ///
        /// - Throws: if the request would go another way than the rule for proxies wants.
        func line(for request: OutgoingRequest) throws(TransportError) -> SessionLine {
            let wanted = try proxy.proxy(for: request.url)
            guard wanted == Self.libcurlsChoice(for: request.url) else {
                throw .unsendable(
                    wanted == nil
                        ? "URLSession would go through a proxy that the environment names; list the host in no_proxy"
                        : "URLSession on Linux takes its proxy from the environment alone; name it in https_proxy")
            }
            return request.method.isIdempotent ? line : writeLine
        }

        /// The environment, which Foundation's libcurl asks at every connection: no session can tell it otherwise.
        ///
        /// It would send plain `http` through a proxy, on this machine, too. That this machine is reached directly can be
        /// said only to the whole process: where a proxy is named, `no_proxy` gets its names, before the first request.
        private static let environment: [String: String] = {
            var environment = ProcessInfo.processInfo.environment
            let proxies = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
            guard proxies.contains(where: { environment[$0]?.isEmpty == false }) else { return environment }
            let listed = ["no_proxy", "NO_PROXY"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
            let exceptions = (listed.map { [$0] } ?? []) + ["localhost", "127.0.0.1", "::1"]
            // To libcurl a star means all only where it stands alone.
            let list = listed == "*" ? "*" : exceptions.joined(separator: ",")
            environment["no_proxy"] = list
            setenv("no_proxy", list, 1)
            return environment
        }()

        /// What libcurl makes of it for each kind of address, worked out once: the environment is long.
        private static let (plainRule, secureRule) = (rule(isPlain: true), rule(isPlain: false))

        private static func rule(isPlain: Bool) -> ProxyRule {
            var names = environment
            if isPlain {
                names["https_proxy"] = names["http_proxy"]
                names["HTTPS_PROXY"] = nil
            }
            // Libcurl has no other kind of exception, or only lately.
            let exceptions = (names["no_proxy"] ?? names["NO_PROXY"] ?? "").split { $0 == "," || $0.isWhitespace }
            let known = exceptions.filter { $0 == "::1" || !$0.contains { "*:/".contains($0) } }
            names["no_proxy"] = exceptions == ["*"] ? "*" : known.joined(separator: ",")
            names["NO_PROXY"] = nil
            return ProxyRule(environment: names)
        }

        private static func libcurlsChoice(for url: URL) -> URL? {
            let rule = url.scheme?.lowercased() == "http" ? plainRule : secureRule
            // One that cannot be read is not none: the address itself stands for it, which is what nobody wants.
            do { return try rule.choice(for: url) } catch { return url }
        }
    }
#endif
