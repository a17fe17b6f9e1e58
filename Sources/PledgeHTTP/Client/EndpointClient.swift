import Dispatch
import Foundation
import Pledge

/// Sends endpoints to a service: base address, credential and rules in one value.
///
/// ```swift
/// let client = EndpointClient(baseURL: address, authorizer: .bearer(token))
/// client.value(of: Endpoint<Greeting>(.get, "greeting/")).done { greeting in print(greeting.word) }
/// ```
public struct EndpointClient: Sendable {
    /// Where paths start; ends in a slash, and has neither query nor fragment.
    public let baseURL: URL
    /// The base address as it may be printed: taking an address apart is costly, and once is enough.
    private let shownBase: String
    private let origin: Origin?
    private let authorizer: Authorizer
    private let options: Options
    private let announced = Locked<RateLimit?>(nil)

    // What comes of a reply, decoding above all, costs several times the exchange itself, so it has neither the transport's
    // threads nor the default queue, on which everybody's handlers wait.
    private static let replies = DispatchQueue(label: "pledge.replies", qos: .userInitiated, attributes: .concurrent)

    /// Makes a client of one service.
    ///
    /// - Parameters:
    ///   - baseURL: where paths start: `https`, or `http` on this machine.
    ///   - authorizer: the credential.
    ///   - options: how to go about it.
    public init(baseURL: URL, authorizer: Authorizer = .none, options: Options = Options()) {
        self.baseURL = baseURL.asBase.withPlainScheme
        shownBase = self.baseURL.redacted
        origin = Origin(self.baseURL)
        self.authorizer = authorizer
        self.options = options
    }

    /// Sends an endpoint and reads the reply.
    ///
    /// - Returns: the response, and the reply it was read from.
    /// - Rejects: with ``ExchangeError``.
    /// - Queue: decodes on a queue of its own; handlers run where they ask to.
    /// - Cancellation: ends the exchange, wherever it is: waiting for a permit, a token or another attempt, or under way.
    public func send<Response>(_ endpoint: Endpoint<Response>) -> Promise<Answer<Response>> {
        // Whether a refusal is an answer is known by reading it, and what was read then is the answer.
        let read = Locked<Response?>(nil)
        let json = options.json
        let call: Call
        do {
            call = Call(endpoint, try outgoing(endpoint), context(of: endpoint)) { reply in
                if endpoint.accepts(reply) { return true }
                guard endpoint.acceptsIfReadable(reply) else { return false }
                let value = try? endpoint.read(reply, json)
                read.withLock { $0 = value }
                return value != nil
            }
        } catch {
            return Promise(error: error)
        }
        var reply = attempt(call, ExchangeState(url: call.request.url))
        if let seconds = options.totalTimeout {
            reply = reply.timeout(seconds: seconds, timekeeper: options.clock).mapError(on: nil) { error in
                guard case PromiseError.timedOut = error else { return error }
                return failure(call, .transport(.timedOut(seconds: seconds)))
            }
        }
        return reply.map(on: nil) { exchanged in
            do {
                let value = try read.withLock { $0.take() } ?? endpoint.read(exchanged.reply, json)
                return Answer(value: value, reply: exchanged.reply)
            } catch {
                throw failure(call, .init(unreadable: error), exchanged.request, exchanged.reply)
            }
        }
    }

    /// Sends an endpoint, for the response alone; see ``send(_:)``.
    public func value<Response>(of endpoint: Endpoint<Response>) -> Promise<Response> {
        send(endpoint).map(on: nil, \.value)
    }

    private func context<Response>(of endpoint: Endpoint<Response>) -> RequestContext {
        RequestContext(method: endpoint.method, url: shownBase + endpoint.path.prefix { $0 != "?" && $0 != "#" })
    }

    /// What the service announced of its limits with its last reply, for the token that was sent with it; nil if it
    /// never did. Shared by all copies of this client.
    public var rateLimit: RateLimit? { announced.withLock { $0 } }

    /// What stays the same from one attempt to the next, and how many there were.
    private struct Call: Sendable {
        let request: OutgoingRequest
        let context: RequestContext
        let isRepeatable: Bool
        let accepts: @Sendable (HTTPReply) -> Bool
        /// Attempts that were sent. Shared, as the end of the time for a call comes from outside of all attempts.
        let sent = Locked(0)

        init<Response>(
            _ endpoint: Endpoint<Response>, _ request: OutgoingRequest, _ context: RequestContext,
            accepts: @escaping @Sendable (HTTPReply) -> Bool
        ) {
            self.request = request
            self.context = context
            isRepeatable = endpoint.isRepeatable
            self.accepts = accepts
        }
    }

    /// Every error of a call that was begun: what is known of the exchange travels into it here, and nowhere else.
    ///
    /// - Parameter request: as it was sent, whose secrets are left out.
    private func failure(
        _ call: Call, _ reason: ExchangeError.Reason, _ request: OutgoingRequest? = nil, _ reply: HTTPReply? = nil
    ) -> ExchangeError {
        let now = options.clock.now()
        var error = ExchangeError(
            reason, context: call.context, reply: reply, rateLimit: reply.flatMap { RateLimit($0.headers, now: now) },
            retryAfter: reply.flatMap { AskedWait.seconds(in: $0, now: now) }, attempts: call.sent.withLock { $0 },
            message: reply.flatMap { $0.body.count <= ServiceMessage.largestBody ? options.findMessage($0) : nil },
            hiding: request.map { Secrets($0) } ?? .none)
        error.advice = options.advise(error) ?? error.advice
        return error
    }

    /// A request as it was sent, with its token, and what came back.
    private struct Exchanged: Sendable {
        var request: OutgoingRequest
        var reply: HTTPReply
    }

    /// - Parameter refused: the token to replace, and what the service said to it.
    private func attempt(
        _ call: Call, _ state: ExchangeState, replacing refused: (token: String, Exchanged)? = nil
    ) -> Promise<Exchanged> {
        credential(call, replacing: refused).then(on: nil) { token -> Promise<Exchanged> in
            guard let limiter = options.limiter else { return try exchange(call, state, token) }
            return limiter.permit().then(on: nil) { try exchange(call, state, token) }
        }
    }

    private func credential(_ call: Call, replacing refused: (token: String, Exchanged)?) -> Promise<String?> {
        let token: Promise<String>
        if let refused, let refresher = authorizer.refresher {
            token = refresher.token(replacing: refused.token, options.clock)
        } else {
            guard let source = authorizer.token else { return .value(nil) }
            token = source()
        }
        return token.map(on: nil) { $0 }.mapError(on: nil) { error in
            error.isCancelled ? error : failure(call, .credential(error), refused?.1.request, refused?.1.reply)
        }
    }

    private func exchange(_ call: Call, _ state: ExchangeState, _ token: String?) throws -> Promise<Exchanged> {
        var request = call.request
        request.url = state.url
        if let token {
            // Foundation would drop such a header in silence, and the service would say "no token".
            guard !token.isEmpty, token.utf8.allSatisfy({ 0x21..<0x7F ~= $0 }) else {
                throw failure(call, .credential(CredentialError.malformed))
            }
            request.headers["Authorization"] = "\(authorizer.scheme) \(token)"
        }
        let sent = request
        call.sent.withLock { $0 = state.attempt }
        note(.sent, call, state)
        return options.transport.send(sent).settled().then(on: Self.replies) { outcome in
            next(after: outcome, of: sent, call, state, token)
        }
    }

    private func next(
        after outcome: Result<HTTPReply, any Error>, of request: OutgoingRequest, _ call: Call, _ state: ExchangeState,
        _ token: String?
    ) -> Promise<Exchanged> {
        let now = options.clock.now()
        switch outcome {
        case .success(let reply):
            note(.received(status: reply.status, bytes: reply.body.count), call, state)
            let rateLimit = RateLimit(reply.headers, now: now)
            if let rateLimit { announced.withLock { $0 = rateLimit } }
            options.limiter?.note(rateLimit, asksFor: AskedWait.seconds(in: reply, now: now), status: reply.status)
        case .failure(let error):
            if let error = error as? TransportError, options.observer != nil {
                note(.failed(Secrets(request).hide(error)), call, state)
            }
        }
        let step = ExchangeStep(
            after: outcome, state, method: call.request.method, isRepeatable: call.isRepeatable,
            canRenew: authorizer.refresher != nil && token != nil, accepts: call.accepts, rule: options.retry, now: now)
        let reply = try? outcome.get()
        let refused = token.flatMap { token in reply.map { (token, Exchanged(request: request, reply: $0)) } }
        switch step {
        case .finish(let reply):
            return .value(Exchanged(request: request, reply: reply))
        case .fail(let reason):
            return Promise(error: failure(call, reason, request, reply))
        case .retry(let seconds):
            note(.waiting(seconds: seconds), call, state)
            return after(seconds: seconds, timekeeper: options.clock).then(on: Self.replies) {
                _ -> Promise<Exchanged> in
                attempt(call, state.retrying(after: seconds))
            }
        case .renew:
            note(.renewingToken, call, state)
            return attempt(call, state.renewing(), replacing: refused)
        case .renewOnly:
            note(.renewingToken, call, state)
            let error = failure(call, .status(401, message: nil), request, reply)
            return credential(call, replacing: refused).then(on: nil) { _ -> Promise<Exchanged> in throw error }
        case .follow(let url):
            if options.observer != nil {
                note(.redirected(to: ServiceMessage.printable(Secrets(request).hide(url.redacted))), call, state)
            }
            return attempt(call, state.following(url))
        }
    }

    private func note(_ kind: ExchangeEvent.Kind, _ call: Call, _ state: ExchangeState) {
        guard let observer = options.observer else { return }
        observer(ExchangeEvent(kind: kind, context: call.context, attempt: state.attempt, date: options.clock.now()))
    }

    private func outgoing<Response>(_ endpoint: Endpoint<Response>) throws -> OutgoingRequest {
        let query = endpoint.query.isEmpty ? "" : "?\(endpoint.query.encoded)"
        func unsendable(_ problem: String) -> ExchangeError {
            ExchangeError(.badRequest(problem), context: context(of: endpoint))
        }
        let base = baseURL.absoluteString
        guard let url = URL(string: base + endpoint.path + query), let origin, !origin.host.isEmpty else {
            throw unsendable("the address cannot be read")
        }
        guard !origin.namesUser else { throw unsendable("the address holds a user name") }
        // However a path is written, the token goes to the host it is for: the base address ends in a slash.
        guard url.absoluteString.utf8.starts(with: base.utf8) else {
            throw unsendable("the path leads away from the base address")
        }
        guard origin.mayCarrySecrets else {
            throw unsendable("a token must not travel over \(origin.scheme): use https")
        }
        var headers: HeaderFields = ["Accept": "application/json", "User-Agent": options.userAgent]
        headers["Content-Type"] = endpoint.body?.type
        for field in options.headers.fields + endpoint.headers.fields { headers[field.name] = field.value }
        let body: Data?
        do {
            body = try endpoint.body?.encode(options.json)
        } catch EncodingError.invalidValue(_, let context) {
            // Without the value, which is private.
            let place = UnreadableReply.path(context.codingPath)
            throw unsendable("the body's \(place.isEmpty ? "top level" : place) cannot be encoded")
        } catch {
            throw unsendable("the body cannot be encoded: \(error)")
        }
        let request = OutgoingRequest(
            method: endpoint.method, url: url, headers: headers, body: body, timeout: options.timeout,
            bodyLimit: options.bodyLimit)
        if let problem = request.problem { throw unsendable(problem) }
        return request
    }
}

extension EndpointClient: CustomStringConvertible, CustomReflectable {
    /// The base address; never the credential.
    public var description: String { "EndpointClient(\(baseURL.redacted))" }

    /// The same for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["baseURL": baseURL.redacted]) }
}

/// A response, and the reply it was read from.
public struct Answer<Response: Sendable>: Sendable {
    /// What the endpoint promises.
    public var value: Response
    /// Status, headers and bytes as received.
    public var reply: HTTPReply

    /// Makes an answer by hand, for tests.
    public init(value: Response, reply: HTTPReply) {
        self.value = value
        self.reply = reply
    }
}
