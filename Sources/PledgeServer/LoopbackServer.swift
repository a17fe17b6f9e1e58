import Dispatch
import Foundation

/// An HTTP/1.1 server for demos and tests without the internet. By default, it listens at 127.0.0.1.
///
///     let server = LoopbackServer(routes: [ServerRoute("GET /hello/") { _ in .text("Hello!") }])
///     try server.start()
///     defer { server.stop() }
///
/// A server that was started runs until it is stopped, even if nothing references it any more.
public final class LoopbackServer: Sendable {
    private struct State {
        var listener: LoopbackListener?
        var port: UInt16
    }

    private struct Connections {
        var open: [Int: ServerConnection] = [:]
        var accepted = 0
    }

    /// The script, which can respond to requests in place of the routes.
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
    ///   - routes: The routes. If several routes match a request, the first of them is used.
    ///   - port: The port to listen on. If it is 0, the system chooses a free port at each start.
    ///   - logLimit: The maximum number of requests in the log.
    ///   - onIPv6: Whether to listen at `[::1]`, too, if the machine has IPv6. Browsers try this address first for
    ///     `localhost`.
    ///   - host: The address to listen at, or a name of this machine. If you don't use the default, other machines may
    ///     be able to reach the server.
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

    /// Starts the server. When this method returns, the server is listening. If the server is already running, this
    /// method does nothing.
    ///
    /// - Throws: `ServerStartError`, for example if the port is in use or the system has no more sockets.
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
            // Old requests are removed in batches. Shifting the array for every request would take longer than the
            // request itself.
            if log.count > logLimit + logLimit / 4 { log.removeFirst(log.count - logLimit) }
        }
        return (script.response(to: request) ?? routes.respond(to: request)).delayed(by: script.latency)
    }

    /// Stops the server and ends all its connections, even connections with a request in progress. If the server isn't
    /// running, this method does nothing.
    ///
    /// A route may call this method, but the client then doesn't get the response to that request. `start()` starts the
    /// server again.
    public func stop() {
        state.withLock { state in
            state.listener.take()?.stop()
            // The thread of each connection removes that connection and then ends. This method doesn't wait for these
            // threads.
            for connection in connections.withLock(\.open).values { connection.cancel() }
        }
    }

    /// The root URL of the server, by default `http://127.0.0.1:PORT/`. After the server was stopped, this is the URL
    /// of its last run. Before the first start, the port is 0 if the system is to choose it.
    public var baseURL: URL {
        let name = host.contains(":") ? "[\(host)]" : host
        return URL(string: "http://\(name):\(state.withLock(\.port))/") ?? URL(fileURLWithPath: "/")
    }

    /// The numeric address at which the server listens; nil if the server isn't running. If the server was created with
    /// the name of a host, the name alone may not tell the address, because a name can stand for several addresses.
    package var address: String? { state.withLock { $0.listener?.address } }

    /// The number of open connections.
    public var openConnections: Int { connections.withLock { $0.open.count } }

    /// The number of connections that the server has accepted, including those before it was stopped and started again.
    public var acceptedConnections: Int { connections.withLock(\.accepted) }

    /// The log of all valid requests, oldest first. When there are more requests than the log's limit, the oldest are
    /// discarded.
    public var requests: [ServerRequest] { log.withLock { Array($0.suffix(logLimit)) } }

    /// Removes all requests from the log.
    public func resetRequests() { log.withLock { $0 = [] } }
}

/// A listener that accepts connections on its own thread until it is stopped.
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
            // A pipe wakes this thread when the listener is stopped. On some systems, closing a socket would not wake a
            // thread that is blocked in `accept`.
            while true {
                let ready = SystemSocket.waitForReading(listeners + [pipe.readEnd])
                if ready.contains(pipe.readEnd) { break }
                for listener in ready {
                    if let connection = SystemSocket.nextConnection(at: listener) {
                        accepted(connection)
                    } else {
                        // The process has probably run out of descriptors. The connection stays in the queue, so trying
                        // again without a pause would keep the processor busy.
                        Thread.sleep(forTimeInterval: 0.01)
                    }
                }
            }
            for descriptor in listeners + [pipe.readEnd] { SystemSocket.closeDescriptor(descriptor) }
            closed.signal()
        }
    }

    /// Stops listening, and returns when the port is free again. Don't call it more than once.
    func stop() {
        SystemSocket.closeDescriptor(wake)
        closed.wait()
    }
}

/// The reason why a server could not start.
public struct ServerStartError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the system call that failed.
    public let call: String
    /// The system's error number (`errno`).
    public let code: Int32

    /// A description of the error. If the port is in use, it also says what to do.
    public var description: String {
        let advice = code == EADDRINUSE ? " Choose another port, or 0 for any free port." : ""
        return "The server could not start: \(call): \(String(cString: strerror(code)))." + advice
    }
}

/// A value that is protected by a lock.
package final class Protected<Value>: @unchecked Sendable {
    // Unchecked: the compiler cannot verify that `value` is accessed only while the lock is held.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    /// Calls `body` with exclusive access to the value. `body` must not acquire the same lock again.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}

extension Protected where Value: Sendable {
    package var current: Value { withLock { $0 } }
}
