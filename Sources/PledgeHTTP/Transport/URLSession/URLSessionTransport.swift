import Foundation
import Pledge
import PledgeCoding

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport that uses `URLSession`. The transport has no cache, keeps no cookies or passwords, and follows no
/// redirects.
///
/// The transport uses a delegate for three reasons:
/// - Only a delegate receives the body of a 401 or a redirect.
/// - Only a delegate can stop a response that is too large.
/// - On Linux, canceling `data(for:)` deadlocks.
public final class URLSessionTransport: HTTPTransport {
    private let sessions: DelegatedSessions
    // Limits the number of tasks to the number of connections. Further tasks would wait inside Foundation, where the
    // wait counts toward their timeout.
    let semaphore: Semaphore

    /// Creates a transport with its own session.
    ///
    /// - Parameters:
    ///   - connectionsPerHost: The maximum number of connections to one host, and of requests in progress to it.
    ///     Further requests wait for their turn. Their wait counts toward ``EndpointClient/Options/totalTimeout``, but
    ///     not toward the time limit of an attempt.
    ///   - proxy: The rule that determines which requests use a proxy. On Linux, Foundation takes its proxy only from
    ///     the environment. So a request is rejected there if Foundation would not take the route that the rule
    ///     specifies. This may even affect requests to this machine: if the environment specifies a proxy, list this
    ///     machine in `no_proxy`.
    public init(
        connectionsPerHost: Int = StandardTransport.defaultRequestsInFlight, proxy: ProxyRule = .environment
    ) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = connectionsPerHost
        semaphore = Semaphore(width: connectionsPerHost)
        sessions = DelegatedSessions(configuration, proxy: proxy)
    }

    public var streamsFiles: Bool { true }

    public func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
        if let problem = request.problem { return Promise(error: TransportError.unsendable(problem)) }
        do {
            let session = try sessions.session(for: request)
            return semaphore.enter(request) {
                Promise { seal in
                    let exchange = SessionExchange(request, on: session, seal: seal)
                    seal.onCancel { exchange.stop(nil) }
                    exchange.start()
                }
            }
        } catch {
            return Promise(error: error)
        }
    }
}

extension URLSessionTransport: Redacted {
    /// The transport's name. The description contains nothing of its requests.
    public var description: String { "URLSessionTransport" }
}

final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private let exchanges = Locked<[Int: SessionExchange]>([:])

    func add(_ exchange: SessionExchange, for task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    private func exchange(_ task: URLSessionTask) -> SessionExchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(task)?.send(Int(totalBytesSent))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.complete(error)
    }

    /// Treats a redirect like any other response, because following it could send the token elsewhere.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let exchange = exchange(task) else { return completionHandler(nil) }
        exchange.receive(response)
        exchange.refuseRedirect(completionHandler)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let method = challenge.protectionSpace.authenticationMethod
        if method == NSURLAuthenticationMethodHTTPBasic || method == NSURLAuthenticationMethodHTTPDigest {
            if let response = challenge.failureResponse { exchange(task)?.receive(response) }
            completionHandler(.cancelAuthenticationChallenge, nil)
        } else {
            completionHandler(.performDefaultHandling, nil)
        }
    }
}

#if os(Linux)
    /// A queue for the delegate of a session, which blocks Foundation while it is full.
    ///
    /// Without the limit, Foundation would decompress and enqueue data as fast as it can. It could turn a few hundred
    /// bytes into gigabytes before the first piece is examined.
    final class BoundedOperationQueue: OperationQueue, @unchecked Sendable {
        // Unchecked, like its superclass: its own properties never change and are safe to share.
        private let room: DispatchSemaphore
        private let patience: DispatchTimeInterval

        /// Creates a queue that is full when it has `room` operations.
        ///
        /// Adding another operation to a full queue blocks for at most `patience`. This time is limited, because an
        /// operation in the queue may itself wait for Foundation.
        init(room: Int = 64, patience: DispatchTimeInterval = .seconds(1)) {
            self.room = DispatchSemaphore(value: room)
            self.patience = patience
            super.init()
            // One operation runs at a time, because a session keeps the order of its callbacks only on a queue that it
            // created itself.
            maxConcurrentOperationCount = 1
        }

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            let hasRoom = room.wait(timeout: .now() + patience) == .success
            super.addOperation { [room] in
                block()
                if hasRoom { room.signal() }
            }
        }
    }
#endif

/// A session and its delegate. Both live as long as the transport.
final class DelegatedSession: Sendable {
    let urlSession: URLSession
    let delegate = SessionDelegate()
    /// The queue on which tasks are created, resumed, and canceled. On Linux, each of these operations waits for
    /// Foundation.
    ///
    /// The operations must not run on the delegate's queue. A handler that runs there may send the next request. The
    /// handler would then wait for Foundation, while Foundation waits for room in the delegate's queue.
    let queue = DispatchQueue(label: "pledge.session")

    init(_ configuration: URLSessionConfiguration) {
        #if os(Linux)
            let queue = BoundedOperationQueue()
        #else
            let queue: OperationQueue? = nil
        #endif
        urlSession = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }

    deinit {
        urlSession.finishTasksAndInvalidate()
    }
}

#if !os(Linux)
    /// The two sessions of a transport. `direct` uses no proxy, and `other` is for all other requests. Two are needed,
    /// because a session has a single proxy setting.
    struct DelegatedSessions: Sendable {
        private let direct: DelegatedSession
        private let other: DelegatedSession
        private let proxy: ProxyRule

        init(_ configuration: URLSessionConfiguration, proxy: ProxyRule) {
            self.proxy = proxy
            // If the dictionary is nil, the system's settings apply.
            configuration.connectionProxyDictionary = proxy.followsSystem ? nil : proxy.dictionary
            other = DelegatedSession(configuration)
            configuration.connectionProxyDictionary = [:]
            direct = DelegatedSession(configuration)
        }

        /// Returns the session to use for a request. Throws if the URL of the proxy is invalid.
        func session(for request: OutgoingRequest) throws(TransportError) -> DelegatedSession {
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
    struct DelegatedSessions: Sendable {
        private let session: DelegatedSession
        // The session for requests that must not be repeated. Each of these requests gets a connection of its own.
        //
        // If a kept connection is dead, Foundation on Linux misbehaves with a POST on it: it sends an empty POST a
        // second time, and waits forever after any other POST.
        private let writeSession: DelegatedSession
        private let proxy: ProxyRule

        init(_ configuration: URLSessionConfiguration, proxy: ProxyRule) {
            session = DelegatedSession(configuration)
            writeSession = DelegatedSession(configuration)
            self.proxy = proxy
        }

        /// Returns the session to use for a request. Throws if the request would not take the route of the proxy rule.
        func session(for request: OutgoingRequest) throws(TransportError) -> DelegatedSession {
            let wanted = try proxy.proxy(for: request.url)
            guard wanted == Self.libcurlsChoice(for: request.url) else {
                throw .unsendable(
                    wanted == nil
                        ? "URLSession on Linux would go through a proxy that the environment names: list the host in "
                            + "no_proxy before the program starts, or use libcurl"
                        : "URLSession on Linux takes its proxy from the environment alone; name it in https_proxy")
            }
            return request.method.isIdempotent ? session : writeSession
        }

        /// The environment. Foundation's libcurl reads it for every connection, and no session can override it. libcurl
        /// uses the environment's proxy even for requests to this machine.
        private static let environment = ProcessInfo.processInfo.environment

        /// The rules that libcurl derives from the environment, one for each scheme. They are computed once, because
        /// the environment is long.
        private static let plainRule = rule(isPlain: true)
        private static let secureRule = rule(isPlain: false)

        static func rule(isPlain: Bool, in environment: [String: String] = environment) -> ProxyRule {
            var names = environment
            if isPlain {
                names["https_proxy"] = names["http_proxy"]
                names["HTTPS_PROXY"] = nil
            }
            // Keeps only the kinds of exceptions that every version of libcurl knows. The other kinds are unknown to
            // libcurl, or to its older versions.
            let exceptions = (names["no_proxy"] ?? names["NO_PROXY"] ?? "").split { $0 == "," || $0.isWhitespace }
            let known = exceptions.filter { $0 == "::1" || !$0.contains { "*:/".contains($0) } }
            names["no_proxy"] = exceptions == ["*"] ? "*" : known.joined(separator: ",")
            names["NO_PROXY"] = nil
            return ProxyRule(environment: names)
        }

        private static func libcurlsChoice(for url: URL) -> URL? {
            let rule = url.scheme?.lowercased() == "http" ? plainRule : secureRule
            // An invalid proxy must not count as no proxy. So in place of the invalid proxy, this method returns the
            // URL of the request: no rule has that URL as its proxy, so the comparison with the rule fails.
            do { return try rule.choice(for: url) } catch { return url }
        }
    }
#endif
