import Foundation
import PledgeHTTP
import PledgeTestSupport

extension Extreme {
    static let promises: [String: Call] = [
        "RetryDelay.constant(seconds:)": { await retrying(.constant(seconds: $0.double)) },
        "RetryDelay.exponential(first:most:random:)": {
            await retrying(.exponential(first: $0.double, most: $0.double))
        },
        "RetryDelay.init(seconds:)": { x in await retrying(RetryDelay { _, _ in x.double }) },
        "Thenable.timeout(seconds:timekeeper:)": {
            show(await Promise.value(1).timeout(seconds: $0.double, timekeeper: clock()).settled().value)
        },
        "Thenable.wait(timeout:)": { x in _ = await Task.detached { try? waiting(x.double) }.value },
        "Timekeeper.init(now:uptime:schedule:)": { x in
            let timekeeper = Timekeeper(now: { x.date }, schedule: clock().schedule)
            show(timekeeper.uptime())
        },
        "after(seconds:timekeeper:)": { await after(seconds: $0.double, timekeeper: clock()).value },
        "retry(attempts:delay:if:timekeeper:_:)": { x in
            let attempts = Counter()
            let outcome: Promise<Int> = retry(attempts: x.int, timekeeper: clock()) {
                if attempts.next() < 3 { throw Fault.one }
                return Promise.value(1)
            }
            show(await outcome.settled().value)
        },
        "when(fulfilled:concurrently:)": { x in
            show(await when(fulfilled: [Promise.value(1)].makeIterator(), concurrently: x.int).settled().value)
        },
        "when(fulfilled:concurrently:_:)": { x in
            show(await when(fulfilled: [1, 2], concurrently: x.int) { Promise.value($0) }.settled().value)
        },
        "when(resolved:concurrently:)": { x in
            show(await when(resolved: [Promise.value(1)].makeIterator(), concurrently: max(1, x.int)).value)
        },
        "when(resolved:concurrently:_:)": { x in
            show(await when(resolved: [1, 2], concurrently: max(1, x.int)) { Promise.value($0) }.value)
        },
    ]

    static let requests: [String: Call] = [
        "EndpointClient.Budget.init(requests:bytes:items:seconds:emptyPages:)": { x in
            let budget = EndpointClient.Budget(
                requests: x.int, bytes: x.int, items: x.int, seconds: x.double, emptyPages: x.int)
            await send { $0.budget = budget }
        },
        "EndpointClient.download(_:to:atMost:progress:)": { x in
            let client = client { $0.bodyLimit = x.int }
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("none/\(UUID())")
            show(await client.download(Endpoint(.get, "x"), to: file, atMost: x.int).settled().value)
        },
        "RawResponse.init(url:status:headers:body:)": { x in
            show(RawResponse(url: address, status: x.int))
            await send(status: x.int)
        },
        "OAuth2Token.init(accessToken:refreshToken:expiresAt:scopes:otherMembers:)": {
            show(OAuth2Token(accessToken: "a", expiresAt: $0.date))
        },
        "OAuth2Token.isExpired(at:)": { show(OAuth2Token(accessToken: "a", expiresAt: Date()).isExpired(at: $0.date)) },
        "OAuth2TokenSource.init(in:leeway:clock:requesting:)": { x in
            let source = OAuth2TokenSource(leeway: x.double, clock: clock()) {
                .value(OAuth2Token(accessToken: "a", expiresAt: x.date))
            }
            show(await source.token().settled().value)
        },
        "Authorizer.source(_:hold:scheme:renewingAfter:)": { x in
            let source = OAuth2TokenSource { .value(OAuth2Token(accessToken: "a")) }
            show(Authorizer.source(source, renewingAfter: [x.int]))
        },
        "OAuth2TokenSource.init(_:in:leeway:clock:renewing:)": { x in
            let file = OAuth2TokenFile(address)
            let source = OAuth2TokenSource(
                OAuth2Token(accessToken: "a", expiresAt: x.date), in: file, leeway: x.double, clock: clock()
            ) { .value($0) }
            show(await source.token().settled().value)
        },
        "OutgoingRequest.init(method:url:headers:body:timeout:bodyLimit:)": { x in
            show(OutgoingRequest(url: address, timeout: x.double, bodyLimit: x.int))
            for transport in [StandardTransport.shared as any HTTPTransport, URLSessionTransport()] {
                // Nothing listens on port 1, so the request fails at once.
                let nobody = URL(string: "http://127.0.0.1:1/") ?? address
                let request = OutgoingRequest(url: nobody, timeout: x.double, bodyLimit: x.int)
                show(await transport.send(request).settled().value)
            }
        },
        "PageSequence.items(atMost:)": { show(await client().pages(Numbers()).items(atMost: $0.int).settled().value) },
        "RateLimit.init(_:now:)": { x in
            let headers: HeaderFields = [
                "RateLimit-Limit": "\(x.int)", "RateLimit-Remaining": "0", "RateLimit-Reset": "\(x.double)",
                "Retry-After": "\(x.int)",
            ]
            show(RateLimit(headers, now: x.date) as Any)
            await send(status: 429, headers: headers)
        },
        "RateLimit.init(limit:remaining:resetsAt:)": {
            show(RateLimit(limit: $0.int, remaining: $0.int, resetsAt: $0.date))
        },
        "RateLimiter.init(limit:per:clock:)": { x in
            let limiter = RateLimiter(limit: x.int, per: x.double, clock: clock())
            for _ in 0..<2 { await send { $0.limiter = limiter } }
        },
        "RetryRule.init(attempts:firstDelay:longestDelay:longestWait:statuses:limitDelay:random:)": { x in
            let rule = RetryRule(
                attempts: min(x.int, 4), firstDelay: x.double, longestDelay: x.double, longestWait: x.double,
                limitDelay: x.double)
            for status in [429, 503] { await send(status: status) { $0.retry = rule } }
            _ = RetryRule(attempts: x.int)
        },
        "StandardTransport.init(_:requestsInFlight:proxy:trustedCertificates:)": {
            show(StandardTransport(requestsInFlight: $0.int))
        },
        "TransferProgress.init(bytesSent:bytesToSend:bytesReceived:bytesToReceive:)": {
            show(
                TransferProgress(
                    bytesSent: $0.int, bytesToSend: $0.int, bytesReceived: $0.int, bytesToReceive: $0.int))
        },
        "URLSessionTransport.init(connectionsPerHost:proxy:)": {
            show(URLSessionTransport(connectionsPerHost: $0.int))
        },
    ]

    /// A list with a single page.
    private struct Numbers: PagedRequest {
        var endpoint: Endpoint<[Int]> { Endpoint(.get, "numbers") }
        func page(after page: Decoded<[Int]>) -> Numbers? { nil }
    }

    static let address = URL(fileURLWithPath: "/nowhere/tokens")

    /// A clock whose alarms fire at once.
    static func clock() -> Timekeeper { InstantTimekeeper().timekeeper }

    private static func client(
        status: Int = 200, headers: HeaderFields = [:], _ change: (inout EndpointClient.Options) -> Void = { _ in }
    ) -> EndpointClient {
        let options = EndpointClient.Options().with {
            $0.transport = CannedTransport(json: "[1, 2]", status: status, headers: headers)
            $0.clock = clock()
            change(&$0)
        }
        return EndpointClient(baseURL: URL(string: "https://example.org/") ?? address, options: options)
    }

    /// Sends a request, and describes its outcome.
    private static func send(
        status: Int = 200, headers: HeaderFields = [:], _ change: (inout EndpointClient.Options) -> Void = { _ in }
    ) async {
        show(
            await client(status: status, headers: headers, change).value(of: Endpoint<[Int]>(.get, "x")).settled().value
        )
    }

    private static func retrying(_ delay: RetryDelay) async {
        let outcome: Promise<Int> = retry(attempts: 4, delay: delay, timekeeper: clock()) {
            Promise<Int>(error: Fault.one)
        }
        show(await outcome.settled().value)
    }

    private static func waiting(_ seconds: Double) throws -> Int { try Promise.value(1).wait(timeout: seconds) }
}

/// A transport that always returns the same response.
struct CannedTransport: HTTPTransport {
    var json: String
    var status = 200
    var headers: HeaderFields = [:]

    func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
        .value(RawResponse(url: request.url, status: status, headers: headers, body: Data(json.utf8)))
    }
}
