import Foundation

@testable import PledgeServer

/// A suite whose servers stop with it.
class ServerSuite {
    private var servers: [LoopbackServer] = []

    deinit { for server in servers { server.stop() } }

    /// Starts a server that responds to a path of each method.
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
