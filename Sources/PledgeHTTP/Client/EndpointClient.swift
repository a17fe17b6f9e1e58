import Foundation
import Pledge
import PledgeCoding

/// A client that sends the requests of endpoints to a service. It has a base URL, a credential, and options.
///
/// ```swift
/// let client = EndpointClient(baseURL: address, authorizer: .bearer(token))
/// client.value(of: Endpoint<Greeting>(.get, "greeting/")).done { greeting in print(greeting.word) }
/// ```
public struct EndpointClient: Sendable {
    /// The state that all copies of a client share. It is a class, because each call keeps a copy of its client, and
    /// the options alone take 400 bytes.
    final class Parts: Sendable {
        let baseURL: URL
        /// The base URL as it is printed. It is computed once, because parsing a URL is costly.
        let shownBase: String
        let origin: Origin?
        let options: Options
        let announced = Locked<RateLimit?>(nil)
        let sent = Locked(0)
        /// The tokens that were sent last. A response may repeat these tokens in its texts, where they must be hidden.
        let tokens = Locked<[String]>([])

        init(_ baseURL: URL, _ options: Options) {
            self.baseURL = baseURL
            shownBase = baseURL.redacted
            origin = Origin(baseURL)
            self.options = options
        }

        /// Remembers a token that is about to be sent, and forgets the oldest one if there are too many.
        func note(_ token: String) {
            tokens.withLock { tokens in
                guard tokens.last != token else { return }
                tokens = tokens.suffix(Self.mostTokens - 1) + [token]
            }
        }

        /// The maximum number of remembered tokens. For a service whose tokens are valid for one hour, this is enough
        /// to remember the tokens of the last eight hours.
        private static let mostTokens = 8
    }

    let parts: Parts
    private(set) var authorizer: Authorizer

    /// The base URL of all paths. It ends in a slash and has neither a query nor a fragment.
    public var baseURL: URL { parts.baseURL }
    package var options: Options { parts.options }
    /// The number of requests that were sent, including retries. If there is a shared meter, this counts the requests
    /// of all clients that share the meter. Otherwise, this counts the requests of this client and its copies.
    package var requestCount: Int { options.meter?.sent ?? parts.sent.withLock { $0 } }

    /// Creates a client for one service. The scheme of the base URL must be `https`. It may be `http` only if the host
    /// is this machine or one of ``Options/plainHTTPHosts``.
    public init(baseURL: URL, authorizer: Authorizer = .none, options: Options = Options()) {
        parts = Parts(baseURL.asBase.withLowercaseScheme, options)
        self.authorizer = authorizer
    }

    /// Returns a copy of the client with another credential. The copy shares everything else with this client.
    func authorized(by authorizer: Authorizer) -> EndpointClient {
        var client = self
        client.authorizer = authorizer
        return client
    }

    /// Sends an endpoint's request and decodes the response.
    ///
    /// - Parameters:
    ///   - endpoint: The call to send.
    ///   - progress: A handler for the progress of each attempt. It is called on a separate queue. The last call comes
    ///     before the promise is settled.
    /// - Rejects: With ``ExchangeError``.
    /// - Queue: The response is decoded on a separate queue. Handlers run on the queues that they specify.
    /// - Cancellation: Cancels the call. If the call waits for a permit, a token, or a retry, the wait ends. If a
    ///   request is in progress, the request is canceled.
    public func send<Response>(
        _ endpoint: Endpoint<Response>, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Promise<Decoded<Response>> {
        send(endpoint, charging: nil, progress)
    }

    /// Sends an endpoint's request, and writes the body of the response to a file without keeping it in memory.
    ///
    /// Only the body of a response with status 200 is written. While the body arrives, it is in a temporary file in the
    /// same folder. When the body is complete, the temporary file replaces any existing file at `file`. Only the file's
    /// owner can access it.
    ///
    /// A download may need more time than other calls: see ``Endpoint/timeout``. Any content type is accepted unless an
    /// `Accept` header specifies one.
    ///
    /// - Returns: The response, whose ``RawResponse/body`` is empty and whose ``RawResponse/file`` is the file.
    /// - Rejects: With ``ExchangeError``. A body of more than `limit` bytes is an error, too. After an error, any
    ///   existing file is unchanged.
    /// - Cancellation: Cancels the call, and removes the part of the body that was received.
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

    /// Returns the meter for a call that is about to begin. It is a new one, unless the options specify a shared meter.
    package func makeMeter() -> BudgetMeter { options.meter ?? BudgetMeter(options.budget, clock: options.clock) }

    /// Sends an endpoint's request. If `meter` is not nil, the request counts toward the budget of that meter.
    /// Otherwise, it counts toward the budget of the client.
    package func send<Response>(
        _ endpoint: Endpoint<Response>, charging meter: BudgetMeter?,
        _ progress: (@Sendable (TransferProgress) -> Void)? = nil, to file: ResponseFile? = nil
    ) -> Promise<Decoded<Response>> {
        do {
            return try Call(endpoint, self, meter ?? makeMeter(), progress, to: file).start()
        } catch {
            return Promise(error: error)
        }
    }

    /// Sends an endpoint's request and returns only the decoded value; see ``send(_:progress:)``.
    public func value<Response>(of endpoint: Endpoint<Response>) -> Promise<Response> {
        send(endpoint).map(on: nil, \.value)
    }

    /// Returns a text of a response, or “…” if the text contains a token that was sent. Use this method for notes,
    /// because notes are stored and shown in other places than the data.
    package func hide(_ text: String) -> String { secrets.hide(text) }

    private var secrets: Secrets { Secrets(tokens: parts.tokens.withLock { $0 }) }

    /// Reports items that could not be decoded. Leaves out every text that contains one of the tokens that were sent.
    package func report(_ items: [UnreadableItem], of list: String, by kit: String) {
        guard !items.isEmpty else { return }
        let secrets = secrets
        options.report(items.map { $0.mapReason(secrets.hide) }, of: secrets.hide(list), by: kit)
    }

    /// The rate limit that the service announced last; nil if the service never announced one. The limit applies to the
    /// token of the request whose response announced it. All copies of this client share the value.
    public var rateLimit: RateLimit? { parts.announced.withLock { $0 } }
}

extension EndpointClient: Redacted {
    /// The base URL. The description never contains the credential.
    public var description: String { "EndpointClient(\(baseURL.redacted))" }
}

/// A decoded value, and the response from which it was decoded.
public struct Decoded<Value: Sendable>: Sendable {
    /// The value that the endpoint decodes.
    public var value: Value
    /// The status code, headers, and body as received.
    public var response: RawResponse
    /// Replaces a text that contains a secret of the request. Only this closure captures the secrets.
    package var hide: @Sendable (String) -> String = { $0 }

    /// Creates a value with the response from which it was decoded, for use in tests.
    public init(value: Value, response: RawResponse) {
        self.value = value
        self.response = response
    }
}

// Builds the request of an endpoint.
extension EndpointClient {
    func context<Response>(of endpoint: Endpoint<Response>) -> RequestContext {
        RequestContext(
            method: endpoint.method, url: (endpoint.isLink ? "" : parts.shownBase) + endpoint.shownPath)
    }

    /// Returns the request of an endpoint, without the credential.
    func outgoing<Response>(_ endpoint: Endpoint<Response>) throws(ExchangeError) -> OutgoingRequest {
        do throws(Unsendable) {
            return try request(of: endpoint)
        } catch {
            throw ExchangeError(.badRequest(error.description), context: context(of: endpoint))
        }
    }

    private func request<Response>(of endpoint: Endpoint<Response>) throws(Unsendable) -> OutgoingRequest {
        let url = try url(of: endpoint)
        var headers: HeaderFields = ["Accept": endpoint.accept, "User-Agent": options.userAgent]
        headers["Content-Type"] = endpoint.body?.type
        for field in options.headers.fields + endpoint.headers.fields { headers[field.name] = field.value }
        let body = try endpoint.body.map { body throws(Unsendable) in try encode(body) }
        var request = OutgoingRequest(
            method: endpoint.method, url: url, headers: headers, timeout: endpoint.timeout ?? options.timeout,
            bodyLimit: options.bodyLimit)
        request.body = body?.bytes
        if request.body == nil { request.bodyFiles = body }
        if let problem = request.problem { throw Unsendable(problem) }
        return request
    }

    private func url<Response>(of endpoint: Endpoint<Response>) throws(Unsendable) -> URL {
        let base = baseURL.absoluteString
        if let problem = endpoint.query.problem { throw Unsendable(problem) }
        let address = try endpoint.address(below: base)
        guard let url = URL(string: address)?.withLowercaseScheme, let origin = parts.origin, !origin.host.isEmpty
        else {
            throw Unsendable("the URL is not valid")
        }
        guard !origin.namesUser else { throw Unsendable("the URL contains a user name") }
        // The base URL ends in a slash, so this comparison ensures that the token is sent only to the base URL's own
        // host, regardless of how the path is written.
        guard endpoint.isLink ? Origin(url) == origin : url.absoluteString.utf8.starts(with: base.utf8) else {
            throw Unsendable("the path leads to another origin than the base URL")
        }
        guard origin.mayCarrySecrets(trusting: options.plainHTTPHosts) else {
            let danger =
                authorizer.token == nil
                ? "others could read and change a request over \(origin.scheme)"
                : "a token must not be sent over \(origin.scheme)"
            throw Unsendable("\(danger): use https, or name the host in plainHTTPHosts")
        }
        return url
    }

    private func encode(_ body: EndpointBody) throws(Unsendable) -> FileBody {
        do {
            return try body.encode(options.json)
        } catch EncodingError.invalidValue(_, let context) {
            // The error leaves out the value, because it is private.
            let path = pathText(context.codingPath)
            throw Unsendable("the body's \(path.isEmpty ? "top level" : path) cannot be encoded")
        } catch let error as UnreadableFile {
            throw Unsendable("\(error)")
        } catch {
            throw Unsendable("the body cannot be encoded: \(error)")
        }
    }
}

extension EndpointClient {
    /// The options that configure a client. The same options are available for every service.
    ///
    /// ```swift
    /// ExistAPI(token: token, options: ExistAPI.defaultOptions.with { $0.limiter = RateLimiter(limit: 300) })
    /// ```
    public struct Options: Sendable {
        /// The transport that sends the requests.
        public var transport: any HTTPTransport = StandardTransport.shared
        /// The clock used for waiting and for the current time.
        public var clock = Timekeeper.live
        /// The time limit for one attempt, in seconds. It includes the time to connect.
        ///
        /// It does not include the time during which the transport holds the request back because of other requests to
        /// the same origin. If the limit included this time, the last of a thousand requests that you send at once
        /// would fail although the service works. The limit ``totalTimeout`` includes the time during which a request
        /// is held back.
        public var timeout: TimeInterval = 30
        /// The time limit for the whole call, in seconds, including waits and retries; nil for no limit. If it
        /// is not positive, such as the time until a deadline that has passed, the call times out and sends nothing.
        public var totalTimeout: TimeInterval?
        /// The maximum size of a response body after decompression, in bytes.
        public var bodyLimit = 64 << 20
        /// The body limit for services with paged lists. The largest pages of such a service have a few hundred
        /// kilobytes. The limit is low, because decoded values take up to a dozen times the size of a response.
        package static let pageLimit = 8 << 20
        /// The rule that determines when a request is retried.
        public var retry = RetryRule()
        /// The rate limiter; nil to send requests immediately. Share one limiter among all clients that use the same
        /// token.
        public var limiter: RateLimiter?
        /// A closure that returns the rate limit of a response, for services that announce it in their own way. If the
        /// closure returns nil, the usual headers count; see ``RateLimit/init(_:now:)``. The closure may run on any
        /// thread.
        ///
        /// If the returned limit says that no requests remain, a ``limiter`` sends none before ``RateLimit/resetsAt``.
        /// If the response is a 429 or a 403, the retry rule repeats the request after that time.
        ///
        /// ```swift
        /// // {"error": "slow down", "retry_after": 7}
        /// options.limits = { response in
        ///     guard let refusal = try? response.json(Refusal.self) else { return nil }
        ///     return RateLimit(limit: nil, remaining: 0, resetsAt: Date(timeIntervalSinceNow: refusal.retryAfter))
        /// }
        /// ```
        public var limits: @Sendable (_ response: RawResponse) -> RateLimit? = { _ in nil }
        func rateLimit(in response: RawResponse, now: Date) -> RateLimit? {
            limits(response) ?? RateLimit(response.headers, now: now)
        }
        /// A closure that creates the gate of a request. That gate takes the place of the limiter and the retry rule.
        /// If the closure is nil, the limiter and the retry rule decide.
        package var gate: (@Sendable (_ mayRepeat: Bool) -> any RequestGate)?
        func makeGate(mayRepeat: Bool) -> any RequestGate {
            gate?(mayRepeat) ?? ClientGate(limiter, retry, clock, mayRepeat: mayRepeat)
        }
        /// The hosts, besides this machine, to which requests may be sent over plain `http`. An example is the name of
        /// a container that runs a sandbox. Everyone between this machine and such a host can read the token, and
        /// change what is sent and received.
        public var plainHTTPHosts: Set<String> = []
        /// The limits of what one call may use for all of its pages.
        public var budget = Budget()
        /// The budget that all calls of a command share; nil if each call has its own.
        package var meter: BudgetMeter?
        /// The value of the `User-Agent` header.
        public var userAgent = "Pledge/1"
        /// The headers of every request. By default, they ask for texts in English. Without that default, `URLSession`
        /// on Apple platforms would send the device's languages, and the text of an error would depend on the device.
        public var headers: HeaderFields = ["Accept-Language": "en"]
        /// A closure that may change a request just before it is sent. Use it to add a signature or a trace header. It
        /// is called before every attempt, including retries, and may run on any thread.
        ///
        /// When the closure is called, the headers already include the credential. The closure may change the URL only
        /// within the origin of the base URL. If the closure throws an error, the call ends with that error.
        ///
        /// Let the closure capture everything that it needs. The closure sees the caller's task-local values only if
        /// the request is sent at once. Handlers of the promise, such as `then`, never see them.
        public var adapt: (@Sendable (_ request: inout OutgoingRequest) throws -> Void)?
        /// The way JSON is encoded and decoded.
        public var json = JSONCoding.plain
        /// A handler for events. It may be called on any thread. Texts that repeat a secret are already left out of the
        /// events.
        public var observer: (@Sendable (ExchangeEvent) -> Void)?
        /// A handler for waits of any length. It is called before each wait for a limit, before each wait for a retry,
        /// and when the wait for a token takes long.
        package var onWait: (@Sendable (RequestWait) -> Void)?
        /// A handler for items of a response that could not be decoded. It receives the name of the list, and the
        /// position and the problem of the item. If the handler is nil, the items are logged.
        ///
        /// Such an item is usually missing from the result. The handler also receives items that are in the result, but
        /// contain something that the service doesn't document. For example, a field may be nil because it could not be
        /// read. See ``UnreadableItem/isKept``.
        public var onUnreadable: (@Sendable (_ list: String, _ item: UnreadableItem) -> Void)?
        /// A closure that returns the service's message in a failed response, or nil if there is none.
        ///
        /// The default searches the usual places:
        /// - `message`, `error` with its `error_description`, `detail`, `title`, and others
        /// - the `message` of an `error` that is an object
        /// - the `message` or `detail` of each of the `errors`
        ///
        /// The message is shown on one line, or as “…” if it repeats a secret of the request.
        public var findMessage: @Sendable (RawResponse) -> String? = { ServiceMessage.find(in: $0) }
        /// A closure that returns the advice at the end of an error's description, or nil for the default advice.
        public var advise: @Sendable (ExchangeError) -> String? = { _ in nil }

        /// Creates options that suit most clients.
        public init() {}

        /// Returns a copy of the options, modified by `change`.
        public func with(_ change: (inout Options) -> Void) -> Options {
            var options = self
            change(&options)
            return options
        }

        /// Reports items that could not be decoded.
        package func report(_ items: [UnreadableItem], of list: String, by kit: String) {
            for item in items {
                if let onUnreadable {
                    onUnreadable(list, item)
                } else {
                    let words =
                        item.isKept
                        ? "read \(list), but found something the service doesn't document"
                        : "left out of \(list) what it could not read"
                    PromiseConfiguration.log(.note("\(kit) \(words): \(item)"))
                }
            }
        }
    }
}
