#if os(Linux)
    import Foundation
    import Pledge
    import PledgeCoding

    internal import PledgeLibraries

    /// A transport that uses the libcurl that FoundationNetworking already loads. A request costs a tenth of what it
    /// costs with FoundationNetworking's own transport.
    ///
    /// One thread waits for all requests, and connections are reused. Certificates are always verified. The transport
    /// follows no redirects, keeps no cookies, and does not read `.netrc`.
    ///
    /// A request is sent only once. If a kept connection is dead, libcurl would silently send the request again. This
    /// transport instead rejects the request with ``TransportError/connectionLost(_:)``, and the caller decides whether
    /// to repeat it.
    ///
    /// If the last reference to the transport is released while requests are in progress, these requests are still
    /// completed.
    public final class CurlTransport: HTTPTransport {
        /// The options of a libcurl transport.
        public struct Options: Sendable {
            /// The maximum number of requests in progress to one origin, and of connections to it. Further requests
            /// wait for their turn. Their wait counts toward ``EndpointClient/Options/totalTimeout``, but not toward
            /// the time limit of an attempt.
            public var requestsInFlight = StandardTransport.defaultRequestsInFlight
            /// The time limit for establishing a connection, in seconds.
            public var connectTimeout: TimeInterval = 10
            /// The time limit for the next byte, in seconds, once there is a connection. If this is nil, only the time
            /// limit of the whole exchange applies.
            public var idleTimeout: TimeInterval?
            /// The rule that determines which requests use a proxy.
            public var proxy = ProxyRule.environment
            /// A PEM file with the certificates to trust in place of the system's.
            public var trustedCertificates: URL?

            /// Creates options that suit most programs.
            public init() {}
        }

        /// The error that is thrown when libcurl cannot be used.
        public struct Unavailable: Error, CustomStringConvertible {
            public let description: String
        }

        private let loop: CurlLoop
        private let proxy: ProxyRule
        private let semaphore: Semaphore

        /// Creates a transport with its own connections and thread. Throws if libcurl is missing, or older than version
        /// 7.80.
        public init(_ options: Options = Options()) throws(Unavailable) {
            if let problem = pledge_curl_load() { throw Unavailable(description: String(cString: problem)) }
            guard let loop = CurlLoop(options) else { throw Unavailable(description: "libcurl is out of memory") }
            self.loop = loop
            proxy = options.proxy
            semaphore = Semaphore(width: options.requestsInFlight)
            let thread = Thread { loop.run() }
            thread.name = "pledge.curl"
            thread.start()
        }

        deinit {
            loop.close()
        }

        public var streamsFiles: Bool { true }

        public func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
            if let problem = request.problem { return Promise(error: TransportError.unsendable(problem)) }
            let proxy: URL?
            do { proxy = try self.proxy.proxy(for: request.url) } catch { return Promise(error: error) }
            // The closure retains the transport until the request has been given to the loop, because the loop ends
            // when the transport is released.
            return semaphore.enter(request) { [self] in
                Promise { [loop] seal in
                    let exchange = CurlExchange(request: request, proxy: proxy, seal: seal)
                    seal.onCancel { loop.cancel(exchange) }
                    loop.add(exchange)
                }
            }
        }
    }

    extension CurlTransport: Redacted {
        /// The transport's name and its proxy. The description contains nothing of its requests.
        public var description: String { "CurlTransport(\(proxy))" }
    }

    internal import PledgeLibraries

    /// The thread that waits for all exchanges of one transport, and the state that only this thread accesses.
    final class CurlLoop: @unchecked Sendable {
        // Unchecked: only the thread that calls `run` uses the properties. The exceptions are `inbox`, which has a
        // lock, and `options`, which is constant.

        /// The jobs that other threads give to the loop's thread.
        private let inbox = Locked<[@Sendable (CurlLoop) -> Void]>([])
        /// Whether no further exchanges will be added.
        private var isClosing = false
        private let options: CurlTransport.Options
        private let multi: OpaquePointer
        private let watch = CurlWatch()
        private var busy: [OpaquePointer: CurlHandle] = [:]
        private var idle: [CurlHandle] = []

        init?(_ options: CurlTransport.Options) {
            // The number of connections that libcurl keeps. If there are more, it closes idle ones.
            let connections = min(max(1, options.requestsInFlight), 1 << 20) * 16
            guard let multi = pledge_curl_multi_new(connections) else { return nil }
            self.options = options
            self.multi = multi
        }

        deinit {
            idle = []
            pledge_curl_multi_free(multi)
        }

        /// Returns the seconds of a monotonic clock.
        static let now = Timekeeper.live.uptime

        // MARK: From any thread

        func add(_ exchange: CurlExchange) {
            post { $0.start(exchange) }
        }

        func cancel(_ exchange: CurlExchange) {
            post { $0.end(exchange) }
        }

        /// Ends the thread once all exchanges have settled.
        func close() {
            post { $0.isClosing = true }
        }

        private func post(_ job: @escaping @Sendable (CurlLoop) -> Void) {
            inbox.withLock { $0.append(job) }
            // Ends the wait of the thread. If the thread is not waiting yet, its next wait ends immediately.
            pledge_curl_multi_wakeup(multi)
        }

        // MARK: On the thread

        func run() {
            while !(isClosing && busy.isEmpty) {
                let jobs = inbox.withLock { jobs in
                    defer { jobs = [] }
                    return jobs
                }
                for job in jobs { job(self) }
                for handle in busy.values { handle.exchange?.beginTurn() }
                watch.run { pledge_curl_multi_perform(multi) }
                finishEnded()
                let deadline = endOverdue()
                if isClosing && busy.isEmpty { return }
                let seconds = min(deadline - Self.now(), 1_000)
                pledge_curl_multi_poll(multi, CInt(max(0, (seconds * 1000).rounded(.up))))
            }
        }

        private func start(_ exchange: CurlExchange) {
            guard !exchange.isOver else { return }
            guard let handle = idle.popLast() ?? CurlHandle(options, watch) else {
                return exchange.reject(TransportError.unreachable("libcurl is out of memory"))
            }
            exchange.began = Self.now()
            handle.prepare(for: exchange)
            busy[handle.easy] = handle
            pledge_curl_multi_add(multi, handle.easy)
        }

        /// Settles the exchanges that have ended.
        private func finishEnded() {
            var outcome: CInt = 0
            while let easy = pledge_curl_multi_next_ended(multi, &outcome) {
                guard let handle = busy[easy], let exchange = handle.exchange else { continue }
                let status = handle.status
                let proxyStatus = handle.proxyStatus
                let detail = outcome == 0 ? "" : handle.errorDetail
                let isEndless = recycle(handle)
                if isEndless {
                    let words = "the server never ends its greeting"
                    // The server sends TLS messages without end. They may belong to the greeting, or they may be
                    // session tickets, which follow the greeting. So if the request was sent, the service may have
                    // processed it, and the request must not fail as unreachable.
                    exchange.reject(exchange.sendings == 0 ? .unreachable(words) : .connectionLost(words))
                } else if let failure = exchange.failure {
                    exchange.reject(failure)
                } else if outcome == 0 {
                    exchange.conclude(status: status)
                } else if proxyStatus >= 300 {
                    exchange.reject(TransportError(proxySaid: proxyStatus))
                } else {
                    exchange.reject(TransportError(curl: outcome, detail: detail, exchange))
                }
            }
        }

        /// Ends the exchanges whose deadline has passed. Returns the next deadline of the others.
        private func endOverdue() -> TimeInterval {
            let now = Self.now()
            var next = TimeInterval.infinity
            for exchange in busy.values.compactMap(\.exchange) {
                let (time, error) = exchange.deadline(options)
                if now >= time {
                    end(exchange)
                    exchange.reject(error)
                } else {
                    next = min(next, time)
                }
            }
            return next
        }

        /// Ends an exchange early. If the exchange is in progress, its connection is closed.
        private func end(_ exchange: CurlExchange) {
            exchange.isOver = true
            exchange.discardBody()
            if let handle = busy.values.first(where: { $0.exchange === exchange }) { recycle(handle) }
        }

        /// Ends the use of a handle for its exchange, and keeps the handle for another exchange unless there are
        /// enough.
        ///
        /// - Returns: Whether the connection was closed because libcurl got stuck while it read from the connection;
        ///   see `CurlWatch`.
        @discardableResult
        private func recycle(_ handle: CurlHandle) -> Bool {
            pledge_curl_multi_remove(multi, handle.easy)
            busy[handle.easy] = nil
            if idle.count < max(1, options.requestsInFlight) { idle.append(handle) }
            return handle.release()
        }
    }
#endif

#if os(Linux)
    import Foundation
    import Pledge

    /// Closes a new connection if libcurl gets stuck while it reads from the connection.
    ///
    /// OpenSSL itself reads some messages, such as empty ones and session tickets. In a single call, it reads as many
    /// as arrive. If a server never stopped sending such messages, the loop's thread would stay in that call forever,
    /// and no other exchange would make progress. libcurl makes no callbacks in that time, so this class checks the
    /// thread from another thread.
    final class CurlWatch: Sendable {
        private struct State {
            /// The clock that measures the processor time of the thread that runs libcurl; nil while libcurl does not
            /// run.
            var clock: clockid_t?
            /// The number of times that libcurl was called, or made a callback.
            var steps = 0
            /// The number of steps and the thread's processor time, as of the latest check that saw a new step.
            var last = (steps: 0, time: 0.0)
            var isWatching = false
            /// The open sockets. The value identifies the handle of the exchange for which a socket was opened.
            var sockets: [CInt: ObjectIdentifier] = [:]
            /// The handles whose sockets were shut down.
            var ended: Set<ObjectIdentifier> = []
        }

        /// The longest processor time that a step may take, in seconds. A step takes longer only if a server sends
        /// messages without end.
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

        /// Stops watching the sockets of a handle. Returns whether one of them was shut down.
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
                    // Shuts down only the socket with the most unread bytes. The other sockets probably just wait for
                    // the thread.
                    //
                    // This is done while the lock is held. Otherwise, the socket could be closed in the meantime, and
                    // its number could belong to another socket.
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
