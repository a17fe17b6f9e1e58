import Dispatch
import Foundation

/// An HTTP/1.1 server, by default on 127.0.0.1, so that demos and tests run without the internet.
///
///     let server = LoopbackServer(routes: [ServerRoute("GET /hello/") { _ in .text("Hello!") }])
///     try server.start()
///     defer { server.stop() }
///
/// It runs until it is stopped, even when there are no references to it.
public final class LoopbackServer: Sendable {
    private struct State {
        var listener: LoopbackListener?
        var port: UInt16
    }

    private struct Connections {
        var open: [Int: ServerConnection] = [:]
        var accepted = 0
    }

    /// The script that responds to requests in place of the routes.
    public let script = ServerScript()

    private let routes: [ServerRoute]
    private let log = Protected<[ServerRequest]>([])
    let logLimit: Int
    private let wantedPort: UInt16
    private let onIPv6: Bool
    private let host: String
    private let state: Protected<State>
    private let connections = Protected(Connections())

    /// Creates a server without starting it.
    ///
    /// - Parameters:
    ///   - routes: The routes; of several that match a request, the first one is used.
    ///   - port: The port to listen on; 0 lets the system choose one at every start.
    ///   - logLimit: The maximum number of requests in the log.
    ///   - onIPv6: Whether to listen at `[::1]`, too, if the machine has IPv6: browsers try it first for `localhost`.
    ///   - host: The address to listen at, or a name of this machine. At any address but the default, other machines
    ///     may reach the server.
    public init(
        routes: [ServerRoute], port: UInt16 = 0, logLimit: Int = 10_000, onIPv6: Bool = false,
        host: String = "127.0.0.1"
    ) {
        self.onIPv6 = onIPv6
        self.host = host
        self.routes = routes
        self.logLimit = max(0, logLimit)
        wantedPort = port
        state = Protected(State(port: port))
    }

    /// Starts listening before it returns, or throws `ServerStartError` if the port is in use or the system is out of
    /// sockets. Has no effect on a running server.
    public func start() throws {
        try state.withLock { state in
            guard state.listener == nil else { return }
            let listener = try LoopbackListener(at: host, port: wantedPort, onIPv6: onIPv6) { [self] in serve($0) }
            state.listener = listener
            state.port = listener.port
        }
    }

    private func serve(_ descriptor: Int32) {
        let connection = ServerConnection(descriptor: descriptor)
        let number = connections.withLock { connections in
            connections.accepted += 1
            connections.open[connections.accepted] = connection
            return connections.accepted
        }
        Thread.detachNewThread { [self] in
            connection.run(number: number, respond: respond)
            connections.withLock { $0.open[number] = nil }
        }
    }

    private func respond(to request: ServerRequest) -> ServerResponse {
        log.withLock { log in
            log.append(request)
            // Removed in batches, because shifting the array for every request would cost more than the request.
            if log.count > logLimit + logLimit / 4 { log.removeFirst(log.count - logLimit) }
        }
        return (script.response(to: request) ?? routes.respond(to: request)).delayed(by: script.latency)
    }

    /// Stops listening and ends every connection, even waiting and active ones. Has no effect on a stopped server.
    ///
    /// A route may call it: the response to that request is then lost. `start()` starts the server again.
    public func stop() {
        state.withLock { state in
            state.listener.take()?.stop()
            // The connections' threads end on their own: each removes its connection, and nothing waits for it here.
            for connection in connections.withLock(\.open).values { connection.cancel() }
        }
    }

    /// The root URL of the current or most recent start, by default `http://127.0.0.1:PORT/`. Before the first start,
    /// the port may be 0.
    public var baseURL: URL {
        let name = host.contains(":") ? "[\(host)]" : host
        return URL(string: "http://\(name):\(state.withLock(\.port))/") ?? URL(fileURLWithPath: "/")
    }

    /// The numeric address at which the server listens, because a host's name may lead to a different one; nil if the
    /// server is stopped.
    package var address: String? { state.withLock { $0.listener?.address } }

    /// The number of open connections.
    public var openConnections: Int { connections.withLock { $0.open.count } }

    /// The number of connections accepted, over all starts.
    public var acceptedConnections: Int { connections.withLock(\.accepted) }

    /// All valid requests as they were received, oldest first; beyond the limit the oldest are discarded.
    public var requests: [ServerRequest] { log.withLock { Array($0.suffix(logLimit)) } }

    /// Removes all requests from the log.
    public func resetRequests() { log.withLock { $0 = [] } }
}

/// Accepts connections on its own thread until it is stopped.
final class LoopbackListener: Sendable {
    let port: UInt16
    let address: String
    private let wake: Int32
    private let closed = DispatchSemaphore(value: 0)

    /// - Parameter onIPv6: Whether to listen at `[::1]`, too, if the machine has IPv6.
    init(
        at host: String = "127.0.0.1", port: UInt16, onIPv6: Bool, accepted: @escaping @Sendable (Int32) -> Void
    ) throws(ServerStartError) {
        let pipe = try SystemSocket.makePipe()
        var opened: [Int32] = []
        do {
            let listener = try SystemSocket.openListener(port: port, at: host)
            self.port = listener.port
            address = listener.address
            opened.append(listener.descriptor)
            if onIPv6, let other = try SystemSocket.openListenerV6(port: listener.port) { opened.append(other) }
        } catch {
            for descriptor in opened + [pipe.readEnd, pipe.writeEnd] { SystemSocket.closeDescriptor(descriptor) }
            throw error
        }
        wake = pipe.writeEnd
        let (closed, listeners) = (closed, opened)
        Thread.detachNewThread {
            // On some systems, closing a socket does not wake a thread that is blocked in `accept`, so a pipe wakes it.
            while true {
                let ready = SystemSocket.waitForReading(listeners + [pipe.readEnd])
                if ready.contains(pipe.readEnd) { break }
                for listener in ready {
                    if let connection = SystemSocket.nextConnection(at: listener) {
                        accepted(connection)
                    } else {
                        // Probably out of descriptors: the connection stays queued, so an immediate retry would spin.
                        Thread.sleep(forTimeInterval: 0.01)
                    }
                }
            }
            for descriptor in listeners + [pipe.readEnd] { SystemSocket.closeDescriptor(descriptor) }
            closed.signal()
        }
    }

    /// Stops listening, and returns when the port is free again. Call it once.
    func stop() {
        SystemSocket.closeDescriptor(wake)
        closed.wait()
    }
}

/// The reason a server could not start.
public struct ServerStartError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the system call that failed.
    public let call: String
    /// The system's error number (`errno`).
    public let code: Int32

    /// A one-sentence description of the error.
    public var description: String {
        let advice = code == EADDRINUSE ? " Choose another port, or 0 for any free port." : ""
        return "The server could not start: \(call): \(String(cString: strerror(code)))." + advice
    }
}

/// A value protected by a lock.
package final class Protected<Value>: @unchecked Sendable {
    // Unchecked because the compiler cannot verify that `value` is accessed only under the lock.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    /// Calls `body` with exclusive access to the value; `body` must not acquire the same lock.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}

extension Protected where Value: Sendable {
    package var current: Value { withLock { $0 } }
}
