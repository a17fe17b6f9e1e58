import Foundation
import Pledge
import PledgeCoding

/// A client that sends endpoints to a service, with a base URL, a credential, and options.
///
/// ```swift
/// let client = EndpointClient(baseURL: address, authorizer: .bearer(token))
/// client.value(of: Endpoint<Greeting>(.get, "greeting/")).done { greeting in print(greeting.word) }
/// ```
public struct EndpointClient: Sendable {
    /// State shared by all copies: a reference, as each call keeps the client, and options take 400 bytes.
    final class Parts: Sendable {
        let baseURL: URL
        /// The base URL in printable form, computed once because parsing a URL is costly.
        let shownBase: String
        let origin: Origin?
        let authorizer: Authorizer
        let options: Options
        let announced: Locked<RateLimit?>
        let sent: Locked<Int>
        /// The latest tokens that were sent, which a response may repeat.
        let tokens: Locked<[String]>

        init(_ baseURL: URL, _ authorizer: Authorizer, _ options: Options) {
            self.baseURL = baseURL
            shownBase = baseURL.redacted
            origin = Origin(baseURL)
            self.authorizer = authorizer
            self.options = options
            announced = Locked(nil)
            sent = Locked(0)
            tokens = Locked([])
        }

        /// Creates the parts of a client that differs only in its credential.
        init(_ parts: Parts, _ authorizer: Authorizer) {
            baseURL = parts.baseURL
            shownBase = parts.shownBase
            origin = parts.origin
            self.authorizer = authorizer
            options = parts.options
            announced = parts.announced
            sent = parts.sent
            tokens = parts.tokens
        }

        /// Remembers a token that is about to be sent.
        func note(_ token: String) {
            tokens.withLock { tokens in
                guard tokens.last != token else { return }
                tokens = tokens.suffix(Self.mostTokens - 1) + [token]
            }
        }

        /// As many as a client has in eight hours if each is valid for one.
        private static let mostTokens = 8
    }

    let parts: Parts

    /// The base URL of all paths. It ends in a slash and has neither a query nor a fragment.
    public var baseURL: URL { parts.baseURL }
    package var options: Options { parts.options }
    /// The number of requests sent, including retries, by this client and its copies, or by all that share its meter.
    package var requestCount: Int { options.meter?.sent ?? parts.sent.withLock { $0 } }

    /// Creates a client for one service, whose base URL is `https`, or `http` on this machine or one of
    /// ``Options/plainHTTPHosts``.
    public init(baseURL: URL, authorizer: Authorizer = .none, options: Options = Options()) {
        parts = Parts(baseURL.asBase.withPlainScheme, authorizer, options)
    }

    private init(_ parts: Parts) { self.parts = parts }

    /// Returns a copy of the client with another credential.
    func authorized(by authorizer: Authorizer) -> EndpointClient { EndpointClient(Parts(parts, authorizer)) }

    /// Sends an endpoint's request and decodes the response.
    ///
    /// - Parameters:
    ///   - endpoint: The call to send.
    ///   - progress: A handler for the progress of each sending, called on a queue of its own, and for the last time
    ///     before the promise is settled.
    /// - Rejects: With ``ExchangeError``.
    /// - Queue: Decodes on a queue of its own; handlers run on the queue they specify.
    /// - Cancellation: Cancels the call, whether it waits for a permit, token, or retry, or has a request in progress.
    public func send<Response>(
        _ endpoint: Endpoint<Response>, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Promise<Decoded<Response>> {
        send(endpoint, charging: nil, progress)
    }

    /// Sends an endpoint's request and writes the body of the response to a file, without holding it in memory.
    ///
    /// Only the body of a 200 is written. Until it is complete, it is in a file of another name in the same folder;
    /// then it takes the place of any existing file. Only its owner can access it. A download may need more time than
    /// other calls: see ``Endpoint/timeout``. Any content type is accepted unless a header `Accept` specifies one.
    ///
    /// - Returns: The response, whose ``RawResponse/body`` is empty and whose ``RawResponse/file`` is the file.
    /// - Rejects: With ``ExchangeError``, also for more than `limit` bytes. Any existing file is then unchanged.
    /// - Cancellation: Cancels the call, and removes what was received.
    public func download(
        _ endpoint: Endpoint<Void>, to file: URL, atMost limit: Int = 1 << 30,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Promise<RawResponse> {
        var endpoint = endpoint
        endpoint.accepts = { $0.file != nil }
        endpoint.accept = "*/*"
        return send(endpoint, charging: nil, progress, to: ResponseFile(url: file, limit: limit))
            .map(on: nil, \.response)
    }

    /// The meter of a call.
    package var meter: BudgetMeter { options.meter ?? BudgetMeter(options.budget, clock: options.clock) }

    /// Sends an endpoint's request, as one of those that share a budget if there is a meter.
    package func send<Response>(
        _ endpoint: Endpoint<Response>, charging meter: BudgetMeter?,
        _ progress: (@Sendable (TransferProgress) -> Void)? = nil, to file: ResponseFile? = nil
    ) -> Promise<Decoded<Response>> {
        do {
            return try Call(endpoint, self, meter ?? self.meter, progress, to: file).start()
        } catch {
            return Promise(error: error)
        }
    }

    /// Sends an endpoint's request and returns only the decoded value; see ``send(_:progress:)``.
    public func value<Response>(of endpoint: Endpoint<Response>) -> Promise<Response> {
        send(endpoint).map(on: nil, \.value)
    }

    /// Returns a text of a response, or “…” if it contains a token that was sent. For notes, which are kept and shown
    /// elsewhere than the data.
    package func hide(_ text: String) -> String { secrets.hide(text) }

    private var secrets: Secrets { Secrets(tokens: parts.tokens.withLock { $0 }) }

    /// Reports items that could not be decoded, in texts without a token that was sent.
    package func report(_ items: [UnreadableItem], of list: String, by kit: String) {
        guard !items.isEmpty else { return }
        let secrets = secrets
        options.report(items.map { $0.mapReason(secrets.hide) }, of: secrets.hide(list), by: kit)
    }

    /// The rate limit in the service's most recent response, for the token sent with that request; nil if it never
    /// announced one. Shared by all copies of this client.
    public var rateLimit: RateLimit? { parts.announced.withLock { $0 } }
}

extension EndpointClient: Redacted {
    /// The base URL, never the credential.
    public var description: String { "EndpointClient(\(baseURL.redacted))" }
}

/// A decoded value and the response it was decoded from.
public struct Decoded<Value: Sendable>: Sendable {
    /// The value that the endpoint decodes.
    public var value: Value
    /// The status code, headers, and body as received.
    public var response: RawResponse

    /// Creates a value with the response it was decoded from, for use in tests.
    public init(value: Value, response: RawResponse) {
        self.value = value
        self.response = response
    }
}
