import Foundation
import Pledge
import PledgeHTTP
import PledgeSandbox

/// A service with one thing to read and one to write, over real HTTP.
struct ThingServer {
    struct Thing: Decodable, Sendable, Equatable {
        var ok: Bool
    }

    /// How a request may be asked for.
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

    let server: SandboxServer
    let clock = InstantTimekeeper()
    let events = Locked<[ExchangeEvent]>([])

    init() throws {
        let answer: @Sendable (SandboxRequest) -> SandboxResponse = { _ in .json(["ok": true]) }
        server = SandboxServer(routes: [
            SandboxRoute("GET /thing/", respond: answer), SandboxRoute("POST /thing/", respond: answer),
            SandboxRoute("GET /other/", respond: answer),
        ])
        try server.start()
    }

    /// A client with a transport of its own, so that no connection is left from before.
    func client(
        _ authorizer: Authorizer = .none, transport: any HTTPTransport = StandardTransport(),
        _ change: (inout EndpointClient.Options) -> Void = { _ in }
    ) -> EndpointClient {
        var options = EndpointClient.Options()
        options.transport = transport
        options.clock = clock.timekeeper
        // The transport's own, which is of the real clock: it only ends what hangs.
        options.timeout = 3600
        // The longest wait there could be, so that it is the same each time.
        options.retry.random = { $0.upperBound }
        options.observer = { [events] event in events.withLock { $0.append(event) } }
        change(&options)
        return EndpointClient(baseURL: server.baseURL, authorizer: authorizer, options: options)
    }
}

/// A source whose tokens are numbered, and count how often they were renewed.
final class NumberedTokens: TokenSource {
    private let state = Locked((current: 1, renewals: 0, failure: (any Error)?.none))
    private let hold: Promise<Void>

    /// - Parameter hold: a renewal waits for this.
    init(renewingAfter hold: Promise<Void> = Promise()) {
        self.hold = hold
    }

    var renewals: Int { state.withLock { $0.renewals } }

    func fail(with error: any Error) {
        state.withLock { $0.failure = error }
    }

    func token() -> Promise<String> {
        .value("token-\(state.withLock { $0.current })")
    }

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
