import Foundation
import Pledge

/// The default transport of the platform: libcurl on Linux, `URLSession` elsewhere.
///
/// If libcurl is missing or too old, `URLSession` is used on Linux as well. The transport reports this once, through
/// `PromiseConfiguration.logHandler`. The environment variable `PLEDGE_TRANSPORT` (`curl` or `urlsession`) selects the
/// transport for the whole process.
public struct StandardTransport: HTTPTransport {
    /// The transports that can be selected.
    public enum Kind: String, CaseIterable, Sendable {
        /// The transport ``CurlTransport``, available only on Linux.
        case curl
        /// The transport ``URLSessionTransport``, based on Foundation.
        case urlSession = "urlsession"

        /// The kind that is used if no other is specified. It is the kind that `PLEDGE_TRANSPORT` selects. If the
        /// variable selects none, it is the platform's default.
        public static let `default` = named(ProcessInfo.processInfo.environment["PLEDGE_TRANSPORT"])

        static func named(_ name: String?) -> Kind {
            #if os(Linux)
                let platform = Kind.curl
            #else
                let platform = Kind.urlSession
            #endif
            guard let name else { return platform }
            if let kind = Kind(rawValue: name) { return kind }
            PromiseConfiguration.log(.note("PLEDGE_TRANSPORT is neither curl nor urlsession, so it is ignored."))
            return platform
        }
    }

    /// The maximum number of requests in progress to one origin, unless a transport is created with another number.
    public static let defaultRequestsInFlight = 8

    /// The shared transport. By default, all clients use its connections.
    public static let shared = StandardTransport()

    /// The kind of transport in use, after any fallback.
    public let kind: Kind
    let base: any HTTPTransport

    /// Creates a transport with its own connections.
    ///
    /// - Parameters:
    ///   - kind: The preferred kind of transport.
    ///   - requestsInFlight: The maximum number of requests in progress to one origin. Further requests wait for their
    ///     turn. Their wait counts toward ``EndpointClient/Options/totalTimeout``, but not toward the time limit of an
    ///     attempt.
    ///   - proxy: The rule that determines which requests use a proxy.
    ///   - trustedCertificates: A PEM file with the certificates to trust in place of the system's; nil for the
    ///     system's. Only libcurl can use such a file.
    public init(
        _ kind: Kind = .default, requestsInFlight: Int = defaultRequestsInFlight, proxy: ProxyRule = .environment,
        trustedCertificates: URL? = Self.trustedCertificates(in: ProcessInfo.processInfo.environment)
    ) {
        self.init(kind, requestsInFlight: requestsInFlight, proxy: proxy) {
            try Self.curl(requestsInFlight, proxy, trustedCertificates)
        }
        if let file = trustedCertificates, self.kind == .urlSession {
            Self.logOnce("URLSession trusts the system's certificates, not those of \(file.path).")
        }
    }

    /// The file of trusted certificates that an environment specifies. As with curl, the variable is `CURL_CA_BUNDLE`
    /// or `SSL_CERT_FILE`.
    public static func trustedCertificates(in environment: [String: String]) -> URL? {
        environment.first(of: "CURL_CA_BUNDLE", "SSL_CERT_FILE").map { URL(fileURLWithPath: $1) }
    }

    init(
        _ kind: Kind, requestsInFlight: Int, proxy: ProxyRule = .environment, curl: () throws -> any HTTPTransport
    ) {
        if kind == .curl {
            do {
                base = try curl()
                self.kind = .curl
                return
            } catch {
                Self.logOnce("Requests go over URLSession, not over libcurl: \(error).")
            }
        }
        self.kind = .urlSession
        base = URLSessionTransport(connectionsPerHost: requestsInFlight, proxy: proxy)
    }

    public var streamsFiles: Bool { base.streamsFiles }

    public func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
        base.send(request)
    }

    private static func curl(
        _ requestsInFlight: Int, _ proxy: ProxyRule, _ trustedCertificates: URL?
    ) throws -> any HTTPTransport {
        #if os(Linux)
            var options = CurlTransport.Options()
            options.requestsInFlight = requestsInFlight
            options.proxy = proxy
            options.trustedCertificates = trustedCertificates
            return try CurlTransport(options)
        #else
            throw TransportError.unsendable("libcurl is used only on Linux")
        #endif
    }

    private static let noted = Locked(Set<String>())

    private static func logOnce(_ note: String) {
        if noted.withLock({ $0.insert(note).inserted }) { PromiseConfiguration.log(.note(note)) }
    }
}
