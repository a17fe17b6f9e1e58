import Dispatch
import Foundation
import Pledge

// A single call: one attempt after another, until there is an answer or an error.
extension EndpointClient {
    // Processing a response, decoding above all, costs several times the exchange itself, so it runs neither on the
    // transport's threads nor on the default queue, where all handlers wait.
    private static let replies = DispatchQueue(label: "pledge.replies", qos: .userInitiated, attributes: .concurrent)

    /// The parts of a call that stay the same from one attempt to the next, and the number of attempts.
    struct Call: Sendable {
        let request: OutgoingRequest
        let context: RequestContext
        let gate: any GatedRequest
        let expectsJSON: Bool
        let accepts: @Sendable (HTTPReply) -> Bool
        let meter: BudgetMeter?
        let progress: (@Sendable (TransferProgress) -> Void)?
        /// The number of attempts sent. Shared, because the time limit of a call expires outside all attempts.
        let sent = Locked(0)

        init<Response>(
            _ endpoint: Endpoint<Response>, _ request: OutgoingRequest, _ context: RequestContext,
            _ gate: any RequestGate, _ meter: BudgetMeter?,
            _ progress: (@Sendable (TransferProgress) -> Void)?, accepts: @escaping @Sendable (HTTPReply) -> Bool
        ) {
            self.request = request
            self.context = context
            self.gate = gate.enter(mayRepeat: endpoint.isRepeatable)
            expectsJSON = Response.self != Void.self && request.headers["Accept"]?.contains("json") == true
            self.accepts = accepts
            self.meter = meter
            self.progress = progress
        }
    }

    /// Creates the error of a call that has started: the only place that adds details of the exchange.
    ///
    /// - Parameter request: The request as sent; its secrets are removed from the error.
    func failure(
        _ call: Call, _ reason: ExchangeError.Reason, _ request: OutgoingRequest? = nil, _ reply: HTTPReply? = nil
    ) -> ExchangeError {
        let now = options.clock.now()
        var asked = reply.flatMap { RetryAfter.seconds(in: $0, now: now) }
        if case .limited(let seconds) = reason { asked = seconds }
        var error = ExchangeError(
            reason, context: call.context, reply: reply, rateLimit: reply.flatMap { RateLimit($0.headers, now: now) },
            retryAfter: asked.map { ($0, now) }, attempts: call.sent.withLock { $0 },
            message: reply.flatMap { $0.body.count <= ServiceMessage.largestBody ? options.findMessage($0) : nil },
            hiding: request.map { Secrets($0) } ?? .none)
        error.advice = options.advise(error) ?? error.advice
        return error
    }

    /// Creates the error of a call whose token the service refused and the source does not replace.
    private func refusal(
        _ call: Call, _ request: OutgoingRequest, _ reply: HTTPReply?, isNew: Bool
    ) -> ExchangeError {
        var error = failure(call, .status(reply?.status ?? 401, message: nil), request, reply)
        if isNew { error.advice = "The service refuses new tokens as well: check where they come from." }
        return error
    }

    /// A request as sent, including its token, and the response to it.
    struct Exchanged: Sendable {
        var request: OutgoingRequest
        var reply: HTTPReply
    }

    /// Waits for the permit, and only then for the token, which could expire during the wait, and sends the request.
    ///
    /// - Parameter refused: The token to replace, and the exchange in which the service refused it.
    func attempt(
        _ call: Call, _ state: ExchangeState, replacing refused: (SentCredential, Exchanged)? = nil
    ) -> Promise<Exchanged> {
        do { try call.meter?.check() } catch { return Promise(error: failure(call, .overBudget(error))) }
        let permit = call.gate.permit()
        // One that has to wait comes from a timer or another call, whose thread is not for files or others' closures.
        let queue = permit.isPending ? Self.replies : nil
        return permit.mapError(on: nil) { error in
            if error.isCancelled { return error }
            return failure(call, (error as? GateClosed).map { .limited(seconds: $0.seconds) } ?? .other(error))
        }.then(on: queue) { _ -> Promise<Exchanged> in
            do throws(BudgetExceeded) {
                try call.meter?.takeRequest()
            } catch {
                throw failure(call, .overBudget(error))
            }
            return exchange(call, state, replacing: refused)
        }
    }

    private func exchange(
        _ call: Call, _ state: ExchangeState, replacing refused: (SentCredential, Exchanged)?
    ) -> Promise<Exchanged> {
        credential(call, replacing: refused).then(on: nil) { token in try exchange(call, state, token) }
    }

    private func credential(_ call: Call, replacing refused: (SentCredential, Exchanged)?) -> Promise<String?> {
        let token: Promise<String>
        if let refused, let refresher = authorizer.refresher {
            token = refresher.token(replacing: refused.0, options.clock)
        } else {
            guard let source = authorizer.token else { return .value(nil) }
            token = source()
        }
        return token.map(on: nil) { $0 }.mapError(on: nil) { error in
            if error.isCancelled { return error }
            guard let other = error as? NoOtherToken, let (request, reply) = refused.map({ ($0.1.request, $0.1.reply) })
            else { return failure(call, .credential(error), refused?.1.request, refused?.1.reply) }
            return refusal(call, request, reply, isNew: other.isNew)
        }
    }

    private func exchange(_ call: Call, _ state: ExchangeState, _ token: String?) throws -> Promise<Exchanged> {
        var request = call.request
        request.url = state.url
        if let token {
            // Foundation would silently drop such a header, and the service would report a missing token.
            guard !token.isEmpty, token.utf8.allSatisfy({ 0x21..<0x7F ~= $0 }) else {
                throw failure(call, .credential(CredentialError.malformed))
            }
            request.headers["Authorization"] = "\(authorizer.scheme) \(token)"
        }
        if let files = request.bodyFiles, !options.transport.streamsFiles {
            do { request.body = try files.data() } catch { throw failure(call, .badRequest("\(error)")) }
        }
        try adapt(&request, call)
        request.progress = call.progress.map { handler in
            ProgressReporter(bytesToSend: request.bodyFiles?.count ?? request.body?.count ?? 0, handler)
        }
        let sent = request
        // Noted at the last moment: a renewal that ends later than this answers a refusal.
        let credential = token.flatMap { authorizer.refresher?.credential($0) }
        call.sent.withLock { $0 = state.attempt }
        emit(.sent, call, state)
        let begun = options.clock.uptime()
        var reply = options.transport.send(sent)
        if let progress = sent.progress { reply = reply.ensure(on: progress.queue) {} }
        return reply.settled().then(on: Self.replies) { outcome in
            next(after: outcome.withBodyInFile(of: sent), of: sent, begun, call, state, credential)
        }
    }

    private func adapt(_ request: inout OutgoingRequest, _ call: Call) throws {
        guard let adapt = options.adapt else { return }
        do {
            try adapt(&request)
        } catch {
            throw error.isCancelled ? error : failure(call, .other(error), request)
        }
        // The credential is sent to its own origin only.
        guard Origin(request.url) == origin else {
            throw failure(call, .badRequest("it was adapted to another origin than the base URL's"), request)
        }
    }

    private func next(
        after outcome: Result<HTTPReply, any Error>, of request: OutgoingRequest, _ begun: TimeInterval, _ call: Call,
        _ state: ExchangeState, _ credential: SentCredential?
    ) -> Promise<Exchanged> {
        let reply = try? outcome.get()
        let isResult = reply.map(call.accepts) ?? false
        // A date that the service specifies is compared with the clock now, and never again.
        let attempt = Attempt(
            outcome, expectsJSON: call.expectsJSON, isResult: isResult, now: options.clock.now())
        let again = call.gate.record(
            attempt, SentRequest(request: request, outcome: outcome), seconds: options.clock.uptime() - begun)
        switch outcome {
        case .success(let reply):
            emit(.received(status: reply.status, bytes: reply.byteCount), call, state)
            if let announced = attempt.announced { self.announced.withLock { $0 = announced } }
            call.meter?.add(bytes: reply.byteCount)
        case .failure(let error):
            if let error = error as? TransportError, options.observer != nil {
                emit(.failed(Secrets(request).hide(error)), call, state)
            }
        }
        let step = ExchangeStep(
            after: outcome, state, method: call.request.method, isResult: isResult, again: again,
            canRenew: credential != nil)
        let refused = credential.flatMap { sent in reply.map { (sent, Exchanged(request: request, reply: $0)) } }
        switch step {
        case .finish(let reply):
            return .value(Exchanged(request: request, reply: reply))
        case .fail(.status(401, _)) where state.hasRenewed:
            return Promise(error: refusal(call, request, reply, isNew: true))
        case .fail(let reason):
            return Promise(error: failure(call, reason, request, reply))
        case .retry(let seconds):
            emit(.waiting(seconds: seconds), call, state)
            return self.attempt(call, state.retrying())
        case .renew:
            emit(.renewingToken, call, state)
            return self.attempt(call, state.renewing(), replacing: refused)
        case .follow(let url):
            if options.observer != nil {
                emit(.redirected(to: ServiceMessage.printable(Secrets(request).hide(url.redacted))), call, state)
            }
            return self.attempt(call, state.following(url))
        }
    }

    private func emit(_ kind: ExchangeEvent.Kind, _ call: Call, _ state: ExchangeState) {
        guard let observer = options.observer else { return }
        observer(ExchangeEvent(kind: kind, context: call.context, attempt: state.attempt, date: options.clock.now()))
    }
}

extension Result where Success == HTTPReply, Failure == any Error {
    /// The outcome with the body in its file, which a transport that does not stream leaves to the client.
    fileprivate func withBodyInFile(of request: OutgoingRequest) -> Result {
        guard let file = request.replyFile else { return self }
        return flatMap { reply in
            Result {
                var reply = reply
                try reply.moveBody(to: file, for: request)
                return reply
            }
        }
    }
}
