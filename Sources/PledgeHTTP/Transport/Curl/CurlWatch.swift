#if os(Linux)
    import Foundation
    import Pledge

    /// Closes a new connection if libcurl does not return from it.
    ///
    /// OpenSSL reads messages of its own, such as empty ones and session tickets, in one call for as long as they
    /// arrive. If a server never stopped sending them, it would hold the thread, and every other exchange with it,
    /// forever. libcurl makes no callbacks meanwhile, so this class checks the thread from another one.
    final class CurlWatch: Sendable {
        private struct State {
            /// The clock of the processor time of the thread that is in libcurl; nil while no thread is.
            var clock: clockid_t?
            /// The number of times that libcurl was called or called back.
            var steps = 0
            /// The number of steps when that number last changed, and the thread's processor time at that moment.
            var last = (steps: 0, time: 0.0)
            var isWatching = false
            /// The open sockets. The value identifies the handle of the exchange for which a socket was opened.
            var sockets: [CInt: ObjectIdentifier] = [:]
            /// The handles whose sockets were shut down.
            var ended: Set<ObjectIdentifier> = []
        }

        /// The processor time, in seconds, that a step takes only if a server sends such messages without end.
        private static let longestStep = 0.5

        private let state = Locked(State())

        /// Calls libcurl. Call this on libcurl's own thread.
        func run(_ perform: () -> Void) {
            let isWatched = state.withLock { state in
                defer { state.isWatching = true }
                var clock = clockid_t()
                state.clock = pthread_getcpuclockid(pthread_self(), &clock) == 0 ? clock : nil
                state.steps += 1
                return state.isWatching
            }
            if !isWatched { lookLater() }
            perform()
            state.withLock { $0.clock = nil }
        }

        /// Records that libcurl has called back, which shows that it makes progress.
        func step() { state.withLock { $0.steps += 1 } }

        func opened(_ socket: CInt, by handle: CurlHandle) {
            state.withLock { $0.sockets[socket] = ObjectIdentifier(handle) }
        }

        /// Stops watching a socket that is about to be closed.
        func closing(_ socket: CInt) {
            state.withLock { $0.sockets[socket] = nil }
        }

        /// Stops watching the sockets of a handle. Returns whether they were shut down.
        @discardableResult
        func release(_ handle: CurlHandle) -> Bool {
            state.withLock { state in
                let handle = ObjectIdentifier(handle)
                state.sockets = state.sockets.filter { $0.value != handle }
                return state.ended.remove(handle) != nil
            }
        }

        /// Returns the number of bytes that a socket has received but nobody has read yet, up to a limit.
        private static func unread(_ socket: CInt) -> Int {
            withUnsafeTemporaryAllocation(byteCount: 0x10000, alignment: 1) { buffer in
                recv(socket, buffer.baseAddress, buffer.count, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
            }
        }

        private func lookLater() {
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.longestStep / 2) { [weak self] in self?.look() }
        }

        private func look() {
            let continues = state.withLock { state in
                var time = timespec()
                guard let clock = state.clock, clock_gettime(clock, &time) == 0 else {
                    state.isWatching = false
                    return false
                }
                let now = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
                if state.last.steps != state.steps {
                    state.last = (state.steps, now)
                } else if now - state.last.time > Self.longestStep {
                    // Shuts down only the socket with the most unread bytes, because the others just wait as well. This
                    // is done under the lock, because once a socket is closed, its number may belong to another one.
                    if let (socket, handle) = state.sockets.max(by: { Self.unread($0.key) < Self.unread($1.key) }) {
                        shutdown(socket, CInt(SHUT_RDWR))
                        state.ended.insert(handle)
                    }
                    state.last.time = now
                }
                return true
            }
            if continues { lookLater() }
        }
    }
#endif
