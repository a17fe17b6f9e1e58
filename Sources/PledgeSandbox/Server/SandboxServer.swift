import Foundation

/// An HTTP/1.1 server on 127.0.0.1, so that demos and tests run without the internet.
///
///     let server = SandboxServer(routes: [SandboxRoute("GET /hello/") { _ in .text("Hello!") }])
///     try server.start()
///     defer { server.stop() }
///
/// It runs until it is stopped, also when nobody holds it any more.
public final class SandboxServer: Sendable {
    private struct State {
        var listener: SandboxListener?
        var port: UInt16
    }

    /// What answers the next requests in place of the routes.
    public let script = SandboxScript()

    private let table: RouteTable
    private let log: RequestLog
    private let connections = ConnectionPool()
    private let wantedPort: UInt16
    private let state: Locked<State>

    /// Makes a server that is not running yet.
    ///
    /// - Parameters:
    ///   - routes: What it answers; of two routes for the same request the first counts.
    ///   - port: Where it listens; 0 lets the system choose at every start.
    ///   - logLimit: How many requests it remembers.
    public init(routes: [SandboxRoute], port: UInt16 = 0, logLimit: Int = 10_000) {
        table = RouteTable(routes: routes)
        log = RequestLog(limit: logLimit)
        wantedPort = port
        state = Locked(State(port: port))
    }

    /// Makes a server for several services at once.
    public convenience init(services: [any SandboxService], port: UInt16 = 0, logLimit: Int = 10_000) {
        self.init(routes: services.flatMap(\.routes), port: port, logLimit: logLimit)
    }

    /// Starts to listen; requests are answered from the moment this returns. Does nothing when the server runs.
    ///
    /// - Throws: `SandboxError` when the port is taken or the system is out of sockets.
    public func start() throws {
        let (connections, log, script, table) = (connections, log, script, table)
        try state.withLock { state in
            guard state.listener == nil else { return }
            let listener = try SandboxListener(port: wantedPort) { descriptor in
                connections.serve(descriptor) { request in
                    log.add(request)
                    let response = script.answer(to: request) ?? table.respond(to: request)
                    return response.delayed(by: script.latency)
                }
            }
            state.listener = listener
            state.port = listener.port
        }
    }

    /// Stops listening and ends every connection, also one that waits or is being served. Does nothing when the server rests.
    ///
    /// It can be called from a route: the reply to that request is then lost. `start()` starts the server again.
    public func stop() {
        state.withLock { state in
            state.listener?.stop()
            state.listener = nil
            connections.cancelAll()
        }
    }

    /// Where the server is or last was: `http://127.0.0.1:PORT/`. Before the first start the port may be 0.
    public var baseURL: URL {
        var components = URLComponents()
        components.scheme = "http"
        components.host = "127.0.0.1"
        components.port = Int(state.withLock(\.port))
        components.path = "/"
        return components.url ?? URL(fileURLWithPath: "/")
    }

    /// How many connections are open.
    public var openConnections: Int { connections.counts.open }

    /// How many connections were ever made, over all starts.
    public var acceptedConnections: Int { connections.counts.accepted }

    /// Every request that was understood, as it was received, oldest first; beyond the limit the oldest are gone.
    public var requests: [SandboxRequest] {
        log.requests
    }

    /// Forgets the requests received so far.
    public func resetRequests() {
        log.reset()
    }
}
