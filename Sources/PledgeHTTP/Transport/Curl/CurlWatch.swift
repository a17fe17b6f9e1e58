#if os(Linux)
    import Foundation
    import Pledge

    /// Shuts down the connection of an overdue exchange if the loop's thread is stuck and cannot end the exchange.
    ///
    /// OpenSSL itself reads some messages, such as empty ones and session tickets. In a single call, it reads as many
    /// as arrive. If a server never stops sending such messages, the loop's thread stays in that call, and no other
    /// exchange makes progress. libcurl makes no callbacks in that time. So this class checks each new connection on
    /// another thread, one second after the time in which the exchange must connect or end, counted from the opening of
    /// the connection. When the connection is shut down, the call returns, and the loop ends the exchange.
    ///
    /// A connection is watched only until the exchange that opened it ends. If a service sends such messages on a kept
    /// connection, the loop's thread stays in the call until the service stops. libcurl doesn't say to which socket a
    /// reused connection belongs.
    final class CurlWatch: Sendable {
        private struct State {
            /// The open sockets whose first exchange is in progress.
            var connections: [CInt: Connection] = [:]
            /// The exchanges whose connections were shut down.
            var shutDown: Set<ObjectIdentifier> = []
        }

        private struct Connection {
            let exchange: ObjectIdentifier
            /// When the exchange may at most be in progress.
            let end: DispatchTime
            /// When to shut the connection down: at first, when the request should have been sent.
            var deadline: DispatchTime
        }

        private static let queue = DispatchQueue(label: "pledge.curl-watch")

        private let connectTimeout: TimeInterval
        private let state = Locked(State())

        init(connectTimeout: TimeInterval) { self.connectTimeout = connectTimeout }

        func opened(_ socket: CInt, by exchange: CurlExchange) {
            let now = DispatchTime.now()
            let end = now + exchange.longest + 1
            let deadline = min(end, now + min(connectTimeout, TransportError.longestTimeout) + 1)
            state.withLock {
                $0.connections[socket] = Connection(exchange: ObjectIdentifier(exchange), end: end, deadline: deadline)
            }
            // An exchange without a time limit isn't watched once its request was sent.
            let limits = [min(connectTimeout, exchange.longest), exchange.longest]
            for limit in limits where limit < TransportError.longestTimeout {
                Self.queue.asyncAfter(deadline: now + limit + 1) { [weak self] in self?.shutDownIfOverdue(socket) }
            }
        }

        /// Gives the connection of an exchange more time, because its request is about to be sent.
        func sends(_ exchange: CurlExchange) {
            state.withLock { state in
                for (socket, connection) in state.connections where connection.exchange == ObjectIdentifier(exchange) {
                    state.connections[socket]?.deadline = connection.end
                }
            }
        }

        /// Stops watching a socket that is about to be closed.
        func closing(_ socket: CInt) {
            state.withLock { $0.connections[socket] = nil }
        }

        /// Stops watching the connections of an exchange that has ended. Returns whether one of them was shut down.
        func release(_ exchange: CurlExchange) -> Bool {
            state.withLock { state in
                state.connections = state.connections.filter { $0.value.exchange != ObjectIdentifier(exchange) }
                return state.shutDown.remove(ObjectIdentifier(exchange)) != nil
            }
        }

        private func shutDownIfOverdue(_ socket: CInt) {
            state.withLock { state in
                // The socket's number may now belong to another connection, which has a deadline of its own.
                guard let connection = state.connections[socket], .now() >= connection.deadline else { return }
                // The lock is held meanwhile. Otherwise, the socket could be closed, and its number reused.
                shutdown(socket, CInt(SHUT_RDWR))
                state.shutDown.insert(connection.exchange)
            }
        }
    }
#endif
