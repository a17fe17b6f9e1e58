import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

/// A service with one resource to read and one to write, over real HTTP. It runs as long as this object is alive.
final class ThingServer: Sendable {
    struct Thing: Decodable, Sendable, Equatable {
        var ok: Bool
    }

    /// The kinds of requests that a test can send.
    enum Call: String, CaseIterable {
        case get = "GET"
        case repeatable = "repeatable POST"
        case unrepeatable = "unrepeatable POST"

        var endpoint: Endpoint<Thing> {
            switch self {
            case .get: Endpoint(.get, "thing/")
            case .repeatable: Endpoint(.post, "thing/", body: .json(Data("{}".utf8)), isRepeatable: true)
            case .unrepeatable: Endpoint(.post, "thing/", body: .json(Data("{}".utf8)))
            }
        }
    }

    let server: LoopbackServer
    let clock = InstantTimekeeper()
    let events = Locked<[ExchangeEvent]>([])

    init() throws {
        let answer: @Sendable (ServerRequest) -> ServerResponse = { _ in .json(["ok": true]) }
        server = LoopbackServer(routes: [
            ServerRoute("GET /thing/", respond: answer), ServerRoute("POST /thing/", respond: answer),
            ServerRoute("GET /other/", respond: answer),
        ])
        try server.start()
    }

    deinit { server.stop() }

    /// Scripts the service's responses to the next requests.
    func respond(_ responses: ServerResponse...) { for response in responses { server.script.next(respond: response) } }

    /// Returns a client with its own transport, so that it reuses no earlier connection.
    func client(
        _ authorizer: Authorizer = .none, transport: any HTTPTransport = StandardTransport(),
        _ change: (inout EndpointClient.Options) -> Void = { _ in }
    ) -> EndpointClient {
        var options = EndpointClient.Options()
        options.transport = transport
        options.clock = clock.timekeeper
        // The transport measures the timeout in real time. The timeout is so long that a request reaches it only if the
        // request hangs.
        options.timeout = 3600
        // Always chooses the longest possible delay, so that delays aren't random.
        options.retry.random = { $0.upperBound }
        options.observer = { [events] event in events.withLock { $0.append(event) } }
        change(&options)
        return EndpointClient(baseURL: server.baseURL, authorizer: authorizer, options: options)
    }
}

/// A base class for suites. Each test has its own service.
class ThingSuite {
    let things: ThingServer
    init() throws { things = try ThingServer() }

    /// Returns the error of a call that reads the resource. The service answers the call's attempts with the given
    /// responses.
    func failure(
        _ responses: ServerResponse..., by authorizer: Authorizer = .none,
        _ change: (inout EndpointClient.Options) -> Void = { _ in }
    ) async throws -> ExchangeError {
        for response in responses { things.respond(response) }
        return try #require(await things.client(authorizer, change).get().failure() as? ExchangeError)
    }
}

extension EndpointClient {
    /// Reads the resource.
    func get() -> Promise<Decoded<ThingServer.Thing>> { send(ThingServer.Call.get.endpoint) }
}

/// A source of numbered tokens that counts how often they were renewed.
final class NumberedTokens: TokenSource {
    private let state = Locked((current: 1, renewals: 0, failure: (any Error)?.none))
    private let hold: Promise<Void>

    /// - Parameter hold: A promise that every renewal waits for.
    init(renewingAfter hold: Promise<Void> = Promise()) { self.hold = hold }

    var renewals: Int { state.withLock { $0.renewals } }

    func fail(with error: any Error) { state.withLock { $0.failure = error } }

    func token() -> Promise<String> { .value("token-\(state.withLock { $0.current })") }

    func token(replacing rejected: String) -> Promise<String> {
        state.withLock { $0.renewals += 1 }
        return hold.then { [state] _ -> Promise<String> in
            if let failure = state.withLock({ $0.failure }) { throw failure }
            return .value(
                state.withLock {
                    $0.current += 1
                    return "token-\($0.current)"
                })
        }
    }
}
