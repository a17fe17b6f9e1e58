import Dispatch
import Foundation
import Pledge

// The queue on which responses are processed. Decoding a response takes several times as long as the exchange itself.
// So responses are processed neither on the transport's threads nor on the default queue, where they would delay all
// handlers.
private let responses = DispatchQueue(label: "pledge.responses", qos: .userInitiated, attributes: .concurrent)

/// A call of an endpoint. It makes one attempt after another, until there is an accepted response or an error.
///
/// Each attempt takes these steps: gate → token → send → decode → classify → next.
final class Call<Response: Sendable>: Sendable {
    private let client: EndpointClient
    private let endpoint: Endpoint<Response>
    private let request: OutgoingRequest
    private let context: RequestContext
    private let gate: any RequestGate
    private let meter: BudgetMeter
    private let progress: (@Sendable (TransferProgress) -> Void)?
    /// The number of attempts that were sent. It is a property of the call and not of an attempt's state, because the
    /// time limit of the call can expire between attempts.
    private let sentCount = Locked(0)
    /// Whether the transport holds the request back because of other requests.
    private let isWaiting = Locked(false)

    private var options: EndpointClient.Options { client.options }

    init(
        _ endpoint: Endpoint<Response>, _ client: EndpointClient, _ meter: BudgetMeter,
        _ progress: (@Sendable (TransferProgress) -> Void)?, to file: ResponseFile?
    ) throws {
        var request = try client.outgoing(endpoint)
        request.responseFile = file
        self.client = client
        self.endpoint = endpoint
        self.request = request
        self.meter = meter
        self.progress = progress
        context = client.context(of: endpoint)
        gate = client.options.makeGate(mayRepeat: endpoint.isRepeatable)
    }

    func start() -> Promise<Decoded<Response>> {
        guard let seconds = options.totalTimeout else { return startAttempt(CallState(url: request.url)) }
        guard !seconds.isNaN else {
            return Promise(error: failure(.badRequest("the total time limit is not a number")))
        }
        // If no time is left, perhaps because the limit is the time until a deadline, nothing is sent.
        guard seconds > 0 else { return Promise(error: failure(.transport(.timedOut(seconds: 0)))) }
        let decoded = startAttempt(CallState(url: request.url))
        return decoded.timeout(seconds: seconds, timekeeper: options.clock).mapError(on: nil) { [self] error in
            guard case PromiseError.timedOut = error else { return error }
            return failure(.transport(.timedOut(seconds: seconds)))
        }
    }

    /// Waits for the gate's permit, and only then for the token, because a token could expire during the wait for the
    /// permit.
    ///
    /// - Parameters:
    ///   - pause: The pause before the attempt; nil if it isn't a retry. The gate waits for the pause.
    ///   - last: The error of the previous attempt. The call ends with that error if the gate gives up.
    ///   - refused: The exchange in which the service refused a token that is now to be replaced.
    private func startAttempt(
        _ state: CallState, after pause: RetryPause? = nil, last: ExchangeError? = nil,
        replacing refused: SentRequest? = nil
    ) -> Promise<Decoded<Response>> {
        do { try meter.check() } catch { return Promise(error: failure(.overBudget(error))) }
        let permit = gate.permit(after: pause) { [self] in announce($0, .limit) }
        // If the call had to wait, the permit arrives on the thread of a timer or of another call. Such a thread must
        // not read files or run users' closures.
        let queue = permit.isPending ? responses : nil
        return permit.mapError(on: nil) { [self] error in
            if error.isCancelled { return error }
            if error is GateGaveUp, let last { return last }
            return failure((error as? GateClosed).map { .limited(seconds: $0.seconds) } ?? .other(error))
        }.then(on: queue) { [self] _ -> Promise<String?> in
            do throws(BudgetExceeded) { try meter.takeRequest() } catch { throw failure(.overBudget(error)) }
            return nextToken(after: refused)
        }.then(on: nil) { [self] token in try send(state, token) }
    }

    /// Returns the token for the next attempt; nil if the client sends no token.
    ///
    /// - Parameter refused: The exchange in which the service refused a token; nil if there is none.
    private func nextToken(after refused: SentRequest?) -> Promise<String?> {
        let replacement = refused?.credential.flatMap { client.authorizer.replacement(for: $0, options.clock) }
        guard let token = replacement ?? client.authorizer.token?() else { return .value(nil) }
        return announcingIfLong(token).map(on: nil) { $0 }.mapError(on: nil) { [self] error in
            if error.isCancelled { return error }
            if let unknown = error as? UnknownOwner { return unknown.cause }
            guard let refused, let other = error as? NoOtherToken else {
                return failure(.credential(error), refused)
            }
            return refusal(refused, isNew: other.isNew)
        }
    }

    /// Announces the wait for a token if the wait is long. For example, the token may come from another program, or
    /// another process may be renewing it. Such a wait may never end.
    private func announcingIfLong(_ token: Promise<String>) -> Promise<String> {
        guard options.onWait != nil, token.isPending else { return token }
        let seconds = RequestWait.shortestAnnounced
        let end = options.clock.schedule(seconds) { [self] in announce(seconds, .token) }
        return token.ensure(on: nil, end)
    }

    private func send(_ state: CallState, _ token: String?) throws -> Promise<Decoded<Response>> {
        let request = try complete(state, token)
        // The credential is recorded just before the request is sent. If the service refuses the token, any renewal
        // that ends after this moment provides the next token.
        let credential = token.flatMap(client.authorizer.credential)
        sentCount.withLock { $0 = state.attempt }
        client.parts.sent.withLock { $0 += 1 }
        options.meter?.addSent()
        emit(.sent, state)
        let begun = options.clock.uptime()
        var response = options.transport.send(request)
        // The outcome passes through the queue of the progress handler, so that the handler's last call comes before it.
        if let progress = request.progress { response = response.ensure(on: progress.queue) {} }
        return response.thenSettled(on: responses) { [self] result in
            let seconds = options.clock.uptime() - begun
            // If the transport does not stream, the client writes the file.
            let result = result.flatMap { response in Result { try response.withBodyInFile(of: request) } }
            let now = options.clock.now()
            let announced = (try? result.get()).flatMap { options.rateLimit(in: $0, now: now) }
            let sent = SentRequest(
                request: request, result: result, date: now, announced: announced, credential: credential)
            return proceed(after: sent, state, seconds: seconds)
        }
    }

    /// Returns the request with its token and its body, and with everything that the client's options add.
    private func complete(_ state: CallState, _ token: String?) throws -> OutgoingRequest {
        var request = request
        request.url = state.url
        request.attempt = state.attempt
        request.isWaiting = isWaiting
        if let token {
            // A malformed token is refused here. Foundation would silently drop the header, and the service would
            // report a missing token.
            let scheme = client.authorizer.scheme
            guard !token.isEmpty, token.utf8.allSatisfy({ 0x21..<0x7F ~= $0 }),
                scheme.utf8.allSatisfy({ 0x20..<0x7F ~= $0 })
            else {
                throw failure(.credential(CredentialError.malformed))
            }
            request.headers["Authorization"] = "\(scheme) \(token)"
            client.parts.note(token)
        }
        if let files = request.bodyFiles, !options.transport.streamsFiles {
            do { request.body = try files.data() } catch { throw failure(.badRequest("\(error)")) }
        }
        if let adapt = options.adapt {
            do { try adapt(&request) } catch { throw error.isCancelled ? error : failure(.other(error), of: request) }
            // The credential may only be sent to the base URL's origin.
            guard Origin(request.url) == client.parts.origin else {
                let problem = "“adapt” changed its origin, which must stay that of the base URL"
                throw failure(.badRequest(problem), of: request)
            }
            if let problem = request.problem { throw failure(.badRequest(problem), of: request) }
        }
        request.progress = progress.map { handler in
            TransferReporter(bytesToSend: request.bodyFiles?.count ?? request.body?.count ?? 0, handler)
        }
        return request
    }

    /// Decodes the response, classifies the attempt by its ``Diagnosis``, and takes the next step.
    private func proceed(
        after sent: SentRequest, _ state: CallState, seconds: TimeInterval
    ) -> Promise<Decoded<Response>> {
        let response = sent.response
        let decoded = decode(sent)
        let attempt = AttemptOutcome(response, decoded.problem, sent.announced, now: sent.date)
        let pause = gate.record(attempt, sent, seconds: seconds)
        if let response {
            emit(.received(status: response.status, bytes: response.byteCount), state)
            if let announced = sent.announced { client.parts.announced.withLock { $0 = announced } }
            meter.add(bytes: response.byteCount)
        } else if case .transport(let error) = decoded.problem {
            emit(.failed(Secrets(sent.request).hide(error)), state)
        }
        switch decoded {
        case .value(let decoded): return .value(decoded)
        case .problem(let problem):
            return next(after: problem, sent, state, pause)
        }
    }

    /// Takes the next step after an attempt without a result.
    ///
    /// - Parameter pause: The pause after which the gate permits another attempt; nil if it permits none.
    private func next(
        after problem: ExchangeError.Reason, _ sent: SentRequest, _ state: CallState, _ pause: RetryPause?
    ) -> Promise<Decoded<Response>> {
        var next = state
        next.attempt += 1
        if let pause {
            emit(.waiting(seconds: pause.seconds), state)
            announce(pause.seconds, pause.isForLimit ? .limit : sent.response.map { .status($0.status) } ?? .noResponse)
            return startAttempt(next, after: pause, last: failure(problem, sent))
        }
        guard case .status(let status) = problem, let response = sent.response else {
            return Promise(error: failure(problem, sent))
        }
        switch status {
        // Even a request that is not safe to repeat may be sent again, because a service that refuses the token has not
        // processed the request.
        case _ where client.authorizer.isRefusal(status) && state.mayRenew(sent.credential):
            emit(.renewingToken, state)
            next.renewalsTried += 1
            return startAttempt(next, replacing: sent)
        case _ where client.authorizer.isRefusal(status) && state.renewalsTried > 0:
            return Promise(error: refusal(sent, isNew: true))
        case 301...303, 307...308:
            let target = response.headers["Location"].flatMap {
                URL(string: $0, relativeTo: state.url)?.withLowercaseScheme
            }
            guard let target, mayFollow(target, state) else {
                return Promise(error: failure(.redirected(to: target?.redacted), sent))
            }
            emit(.redirected(to: ServiceMessage.printable(Secrets(sent.request).hide(target.redacted))), state)
            next.url = target
            next.redirects = state.redirects + 1
            next.attempt = state.attempt
            return startAttempt(next)
        default: return Promise(error: failure(problem, sent))
        }
    }

    /// Returns whether to follow a redirect. Only a GET is redirected, only within the same origin, and only a limited
    /// number of times. Otherwise, a redirect could lead the token elsewhere.
    private func mayFollow(_ target: URL, _ state: CallState) -> Bool {
        request.method == .get && Origin(target) == client.parts.origin && state.redirects < 3
    }

    private enum Classified {
        case value(Decoded<Response>)
        case problem(ExchangeError.Reason)

        var problem: ExchangeError.Reason? { if case .problem(let reason) = self { reason } else { nil } }
    }

    /// Returns the result of the call, or the reason why the response is not a result.
    private func decode(_ sent: SentRequest) -> Classified {
        let response: RawResponse
        switch sent.result {
        case .success(let received): response = received
        case .failure(let error as TransportError): return .problem(.transport(error))
        case .failure(let error): return .problem(error.isCancelled ? .cancelled : .other(error))
        }
        guard endpoint.accepts(response) else { return .problem(.status(response.status)) }
        let json = options.json.noting { [client, path = endpoint.shownPath] item in
            client.report([item], of: path, by: "PledgeHTTP")
        }
        do {
            var decoded = Decoded(value: try endpoint.decode(response, json), response: response)
            decoded.hide = { [request = sent.request] in Secrets(request).hide($0) }
            return .value(decoded)
        } catch {
            let unreadable = error as? UnreadableResponse ?? (error as? DecodingError).map { UnreadableResponse($0) }
            return .problem(unreadable.map { .unreadable($0) } ?? .other(error))
        }
    }

    private func emit(_ kind: @autoclosure () -> ExchangeEvent.Kind, _ state: CallState) {
        guard let observer = options.observer else { return }
        observer(ExchangeEvent(kind: kind(), context: context, attempt: state.attempt, date: options.clock.now()))
    }

    private func announce(_ seconds: TimeInterval, _ reason: RequestWait.Reason) {
        options.onWait?(RequestWait(seconds: seconds, reason: reason))
    }

    /// Creates the error of a call that has started. The error contains no secrets of the request. No other method adds
    /// details of the exchange to an error.
    ///
    /// - Parameters:
    ///   - sent: The request that was sent; nil if no request was sent.
    ///   - request: The request that was about to be sent.
    private func failure(
        _ reason: ExchangeError.Reason, _ sent: SentRequest? = nil, of request: OutgoingRequest? = nil
    ) -> ExchangeError {
        let response = sent?.response
        let now = sent?.date ?? options.clock.now()
        var asked = response.flatMap { RetryAfter.seconds(in: $0, sent?.announced, now: now) }
        if case .limited(let seconds) = reason { asked = seconds }
        let searched = response.flatMap { $0.body.count <= ServiceMessage.largestSearchedBody ? $0 : nil }
        var error = ExchangeError(
            reason, context: context, response: response, rateLimit: sent?.announced,
            retryAfter: asked.map { ($0, now) }, attempts: sentCount.withLock { $0 },
            message: searched.flatMap { options.findMessage($0) },
            hiding: (sent?.request ?? request).map { Secrets($0) } ?? .none)
        if case .transport(.timedOut) = reason, isWaiting.withLock({ $0 }) {
            error.advice =
                "It waited for other requests to the same host: send fewer at a time, raise the transport's "
                + "“requestsInFlight”, or allow more time."
        }
        if case .status(200..<300) = reason, sent?.request.responseFile != nil {
            error.advice = "A file is replaced only by a complete response (status 200)."
        }
        error.advice = options.advise(error) ?? error.advice
        return error
    }

    /// Creates the error of a call after the service has refused the call's token and the token source has no other
    /// token.
    private func refusal(_ sent: SentRequest, isNew: Bool) -> ExchangeError {
        var error = failure(.status(sent.response?.status ?? 401), sent)
        if isNew { error.advice = "The service refuses new tokens as well: check where they come from." }
        return error
    }
}

/// The part of a call that changes from one attempt to the next.
struct CallState: Sendable {
    var url: URL
    var attempt = 1
    var redirects = 0
    var renewalsTried = 0

    /// Returns whether the call may request another token after the service refused one.
    ///
    /// A call renews its token once. It does so a second time only if the refused token was found in a store, because
    /// such a token may be old.
    func mayRenew(_ refused: SentCredential?) -> Bool {
        guard let refused else { return false }
        return renewalsTried == 0 || renewalsTried == 1 && refused.isFromStore
    }
}
