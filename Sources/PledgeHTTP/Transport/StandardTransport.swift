import Foundation
import Pledge

/// The transport that suits the platform: libcurl on Linux, `URLSession` elsewhere.
///
/// On Linux it falls back to `URLSession` where libcurl is missing or too old, and says so once through
/// `PromiseConfiguration.logHandler`. The environment variable `PLEDGE_TRANSPORT` (`curl` or `urlsession`)
/// chooses for a whole process.
public struct StandardTransport: HTTPTransport {
    /// What can carry requests.
    public enum Kind: String, CaseIterable, Sendable {
        /// ``CurlTransport``, only on Linux.
        case curl
        /// Foundation's, which is ``URLSessionTransport``.
        case urlSession = "urlsession"

        /// What is used unless something else is asked for.
        public static let usual: Kind = {
            #if os(Linux)
                let platform = Kind.curl
            #else
                let platform = Kind.urlSession
            #endif
            guard let name = ProcessInfo.processInfo.environment["PLEDGE_TRANSPORT"] else { return platform }
            if let kind = Kind(rawValue: name) { return kind }
            PromiseConfiguration.log(.note("PLEDGE_TRANSPORT is neither curl nor urlsession, so it does not count."))
            return platform
        }()
    }

    /// One for everyone who does not need their own, so that connections are shared.
    public static let shared = StandardTransport()

    /// What carries the requests in the end.
    public let kind: Kind
    private let base: any HTTPTransport

    /// A transport with connections of its own.
    ///
    /// - Parameters:
    ///   - kind: what is wanted.
    ///   - requestsInFlight: how many requests to have under way; others wait their turn.
    ///   - proxy: which requests go through a proxy.
    public init(_ kind: Kind = .usual, requestsInFlight: Int = 8, proxy: ProxyRule = .environment) {
        self.init(kind, requestsInFlight: requestsInFlight, proxy: proxy) { try Self.curl(requestsInFlight, proxy) }
    }

    init(
        _ kind: Kind, requestsInFlight: Int, proxy: ProxyRule = .environment, curl: () throws -> any HTTPTransport
    ) {
        if kind == .curl {
            do {
                (self.kind, base) = (.curl, try curl())
                return
            } catch {
                Self.noteFallback("\(error)")
            }
        }
        (self.kind, base) = (.urlSession, URLSessionTransport(connectionsPerHost: requestsInFlight, proxy: proxy))
    }

    /// Sends a request; see ``HTTPTransport/send(_:)``.
    public func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
        base.send(request)
    }

    private static func curl(_ requestsInFlight: Int, _ proxy: ProxyRule) throws -> any HTTPTransport {
        #if os(Linux)
            var options = CurlTransport.Options()
            options.requestsInFlight = requestsInFlight
            options.proxy = proxy
            return try CurlTransport(options)
        #else
            throw TransportError.unsendable("libcurl is for Linux")
        #endif
    }

    private static let hasNoted = Locked(false)

    private static func noteFallback(_ reason: String) {
        let isFirst = hasNoted.withLock { hasNoted in
            defer { hasNoted = true }
            return !hasNoted
        }
        guard isFirst else { return }
        PromiseConfiguration.log(.note("Requests go over URLSession, not over libcurl: \(reason)."))
    }
}
