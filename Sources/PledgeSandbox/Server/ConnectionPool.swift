import Foundation

/// The set of open connections.
final class ConnectionPool: Sendable {
    private struct State {
        var open: [Int: SandboxConnection] = [:]
        var accepted = 0
    }

    private let state = Locked(State())

    /// Serves a new connection on its own thread.
    func serve(_ descriptor: Int32, respond: @escaping @Sendable (SandboxRequest) -> SandboxResponse) {
        let connection = SandboxConnection(descriptor: descriptor)
        let number = state.withLock { state in
            state.accepted += 1
            state.open[state.accepted] = connection
            return state.accepted
        }
        Thread.detachNewThread {
            connection.run(number: number, respond: respond)
            self.state.withLock { $0.open[number] = nil }
        }
    }

    /// The number of open connections, and the number accepted in total.
    var counts: (open: Int, accepted: Int) {
        state.withLock { ($0.open.count, $0.accepted) }
    }

    /// Ends every connection without waiting for their threads.
    func cancelAll() {
        let connections = state.withLock { state in
            defer { state.open = [:] }
            return state.open
        }
        connections.values.forEach { $0.cancel() }
    }
}
