import Foundation

@testable import PledgeServer

/// A base class for suites. It stops the servers of a test when the test ends.
class ServerSuite {
    private var servers: [LoopbackServer] = []

    deinit { for server in servers { server.stop() } }

    /// Starts a server that answers requests of all methods with the given closure.
    func server(_ respond: @escaping @Sendable (ServerRequest) -> ServerResponse) throws -> LoopbackServer {
        let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]
        return try start(LoopbackServer(routes: methods.map { ServerRoute("\($0) /", respond: respond) }))
    }

    func start(_ server: LoopbackServer) throws -> LoopbackServer {
        try server.start()
        servers.append(server)
        return server
    }
}
