#if os(Linux)
    import Foundation
    import Pledge

    /// Closes a new connection from which libcurl does not return.
    ///
    /// OpenSSL reads messages of its own, such as empty ones and session tickets, in one call for as long as they
    /// arrive: a server that never stops sending them would hold the thread, and every other exchange with it, for
    /// ever. No callback of libcurl's runs meanwhile, so this looks at the thread from outside.
    final class CurlWatch: Sendable {
        private struct State {
            /// The processor time of the thread that is in libcurl; nil while none is.
            var clock: clockid_t?
            /// How often libcurl was called, and called back.
            var steps = 0
            /// The number of steps when it last changed, and the thread's processor time then.
            var last = (steps: 0, time: 0.0)
            var isWatching = false
            /// The sockets of the exchanges for which they were opened, and these exchanges' handles.
            var sockets: [CInt: ObjectIdentifier] = [:]
            /// The handles whose sockets were shut down.
            var ended: Set<ObjectIdentifier> = []
        }

        /// The processor time, in seconds, that no single step of an honest exchange takes.
        private static let longestStep = 0.5

        private let state = Locked(State())

        /// Calls libcurl, on its own thread.
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

        /// Records that libcurl has called back, and so makes progress.
        func step() { state.withLock { $0.steps += 1 } }

        func opened(_ socket: CInt, by handle: CurlHandle) {
            state.withLock { $0.sockets[socket] = ObjectIdentifier(handle) }
        }

        /// Stops watching a socket, which is about to be closed.
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

        /// The number of bytes that a socket has received and nothing has read, up to a limit.
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
                    // Only the socket with the most unread bytes: the others wait as well. Under the lock, because the
                    // number of a socket that was closed may be another one's by now.
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
