import Foundation
import Pledge

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Carries requests with one `URLSession` for life: no cache, no cookies, no stored passwords, no redirects.
///
/// Delegate-driven, because only the delegate sees the body of a 401 or a redirect and can stop a reply that is too
/// large, and because cancelling `data(for:)` deadlocks on Linux.
public final class URLSessionTransport: HTTPTransport {
    /// One for everyone who does not need their own: a session is costly, and keeps connections alive.
    public static let shared = URLSessionTransport()

    private let line: Line
    // Where a kept connection turns out to be dead, Foundation on Linux sends an empty POST a second time, and waits
    // for ever after any other: what is not to be repeated gets a connection of its own there.
    private let writeLine: Line
    // More tasks than connections would wait inside Foundation, where waiting counts as time taken.
    private let gate: Gate

    /// A transport with a session of its own.
    ///
    /// - Parameter connectionsPerHost: how many connections to keep to one host, and how many requests to have under
    ///   way; others wait their turn, without that counting towards their time-out.
    public init(connectionsPerHost: Int = 8) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = connectionsPerHost
        gate = Gate(width: connectionsPerHost)
        line = Line(configuration)
        #if os(Linux)
            writeLine = Line(configuration)
        #else
            writeLine = line
        #endif
    }

    /// Sends a request; see ``HTTPTransport/send(_:)``.
    public func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
        if let problem = request.problem { return Promise(error: TransportError.unsendable(problem)) }
        return gate.enter { self.begin(request) }
    }

    private func begin(_ request: OutgoingRequest) -> Promise<HTTPReply> {
        Promise { seal in
            var urlRequest = URLRequest(url: request.url)
            urlRequest.httpMethod = request.method.rawValue
            urlRequest.httpBody = request.body
            urlRequest.httpShouldHandleCookies = false
            // Ours is the deadline that counts, to the millisecond; Foundation's on Linux knows whole seconds only, and
            // crashes when there are too many.
            urlRequest.timeoutInterval = min(max(request.timeout, 0), 1e6).rounded(.up) + 60
            for field in request.headers.fields {
                urlRequest.setValue(field.value, forHTTPHeaderField: field.name)
            }
            #if os(Linux)
                if !request.method.isIdempotent { urlRequest.setValue("close", forHTTPHeaderField: "Connection") }
            #endif
            let line = request.method.isIdempotent ? line : writeLine
            let exchange = Exchange(task: line.session.dataTask(with: urlRequest), request: request, seal: seal)
            line.delegate.add(exchange)
            seal.onCancel { exchange.stop(nil) }
            exchange.start()
        }
    }
}

/// A session and its delegate, as long as the transport lives.
private final class Line: Sendable {
    let session: URLSession
    let delegate = SessionDelegate()

    init(_ configuration: URLSessionConfiguration) {
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }
}

/// One request under way.
private final class Exchange: Sendable {
    let task: URLSessionDataTask
    private let request: OutgoingRequest
    private let seal: Resolver<HTTPReply>
    private let state = Locked(State())

    private struct State {
        var response: HTTPURLResponse?
        var body = Data()
        var failure: TransportError?
        var cancelDeadline: (@Sendable () -> Void)?
    }

    init(task: URLSessionDataTask, request: OutgoingRequest, seal: Resolver<HTTPReply>) {
        self.task = task
        self.request = request
        self.seal = seal
    }

    func start() {
        let cancel = Timekeeper.live.schedule(request.timeout) { [weak self, request] in
            self?.stop(.timedOut(seconds: request.timeout))
        }
        state.withLock { $0.cancelDeadline = cancel }
        task.resume()
    }

    /// Ends it early, for this reason; nil if nobody wants to know.
    func stop(_ reason: TransportError?) {
        state.withLock { if $0.failure == nil { $0.failure = reason } }
        if let reason { seal.reject(reason) }
        task.cancel()
    }

    func receive(_ response: URLResponse) {
        state.withLock { $0.response = response as? HTTPURLResponse }
    }

    func receive(_ data: Data) {
        let isTooLarge = state.withLock { state in
            guard state.failure == nil, state.body.count + data.count <= request.bodyLimit else { return true }
            state.body.append(data)
            return false
        }
        if isTooLarge { stop(.tooLarge(limit: request.bodyLimit)) }
    }

    func complete(_ error: (any Error)?) {
        let (response, body, failure, cancelDeadline) = state.withLock {
            ($0.response, $0.body, $0.failure, $0.cancelDeadline)
        }
        cancelDeadline?()
        if let failure {
            seal.reject(failure)
        } else if let error, !(isRefusedChallenge(error) && response != nil) {
            seal.reject(TransportError(error, beforeReply: response == nil))
        } else if let response {
            let fields = response.allHeaderFields.map { HeaderFields.Field(name: "\($0.key)", value: "\($0.value)") }
            seal.fulfill(
                HTTPReply(
                    url: request.url, status: response.statusCode,
                    headers: HeaderFields(fields.sorted { $0.name < $1.name }), body: body))
        } else {
            seal.reject(TransportError.badReply("no status line"))
        }
    }

    /// A 401 whose challenge was refused ends as "cancelled", with the reply in hand: that reply is the outcome.
    private func isRefusedChallenge(_ error: any Error) -> Bool {
        guard let code = (error as? URLError)?.code else { return false }
        return code == .cancelled || code == .userCancelledAuthentication || code == .userAuthenticationRequired
    }
}

private final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private let exchanges = Locked<[Int: Exchange]>([:])

    func add(_ exchange: Exchange) {
        exchanges.withLock { $0[exchange.task.taskIdentifier] = exchange }
    }

    private func exchange(_ task: URLSessionTask) -> Exchange? {
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

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.complete(error)
    }

    /// A redirect is a reply like another: following it could carry the token elsewhere.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        exchange(task)?.receive(response)
        completionHandler(nil)
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

extension TransportError {
    /// Foundation's error in our words.
    init(_ error: any Error, beforeReply: Bool) {
        guard let error = error as? URLError else {
            self = .connectionLost("\(error.localizedDescription)")
            return
        }
        let detail = "code \(error.code.rawValue)"
        switch error.code {
        case .cannotFindHost, .dnsLookupFailed: self = .unreachable("the host name is not known")
        case .cannotConnectToHost: self = .unreachable("the host refused")
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: self = .unreachable("offline")
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            self = .untrusted(detail)
        // Our addresses are all http or https: it is what came back that is neither.
        case .unsupportedURL: self = .badReply("what came is not HTTP")
        // What Foundation on Linux says of a connection that was closed instead of answered.
        case .badServerResponse where beforeReply: self = .connectionLost("closed without a reply")
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
            self = .badReply(detail)
        default: self = .connectionLost(detail)
        }
    }
}
