import Foundation
import Pledge
import PledgeCoding

/// Sends endpoints to a service: base address, credential and rules in one value.
///
/// ```swift
/// let client = EndpointClient(baseURL: address, authorizer: .bearer(token))
/// client.value(of: Endpoint<Greeting>(.get, "greeting/")).done { greeting in print(greeting.word) }
/// ```
public struct EndpointClient: Sendable {
    /// What all copies share. A reference, as each step of an exchange keeps the client, whose options alone are 400 bytes.
    private final class Parts: Sendable {
        let baseURL: URL
        let shownBase: String
        let origin: Origin?
        let authorizer: Authorizer
        let options: Options
        let announced = Locked<RateLimit?>(nil)

        init(_ baseURL: URL, _ authorizer: Authorizer, _ options: Options) {
            self.baseURL = baseURL
            shownBase = baseURL.redacted
            origin = Origin(baseURL)
            self.authorizer = authorizer
            self.options = options
        }
    }

    private let parts: Parts

    /// Where paths start; ends in a slash, and has neither query nor fragment.
    public var baseURL: URL { parts.baseURL }
    /// The base address as it may be printed: taking an address apart is costly, and once is enough.
    var shownBase: String { parts.shownBase }
    var origin: Origin? { parts.origin }
    var authorizer: Authorizer { parts.authorizer }
    package var options: Options { parts.options }
    var announced: Locked<RateLimit?> { parts.announced }

    /// Makes a client of one service.
    ///
    /// - Parameters:
    ///   - baseURL: where paths start: `https`, or `http` on this machine.
    ///   - authorizer: the credential.
    ///   - options: how to go about it.
    public init(baseURL: URL, authorizer: Authorizer = .none, options: Options = Options()) {
        parts = Parts(baseURL.asBase.withPlainScheme, authorizer, options)
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

    /// What the service announced of its limits with its last reply, for the token that was sent with it; nil if it
    /// never did. Shared by all copies of this client.
    public var rateLimit: RateLimit? { announced.withLock { $0 } }
}

extension EndpointClient: Discreet {
    /// The base address; never the credential.
    public var description: String { "EndpointClient(\(baseURL.redacted))" }
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
