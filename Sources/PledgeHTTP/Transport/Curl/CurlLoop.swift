#if os(Linux)
    import Foundation
    import Pledge
    internal import PledgeLibraries

    /// The thread that waits for all exchanges of one transport, with the state that only it accesses.
    final class CurlLoop: @unchecked Sendable {
        // Unchecked: all but `inbox` (locked) and `options` (constant) belongs to the thread in `run`.

        /// What other threads ask this one to do.
        private let inbox = Locked<[@Sendable (CurlLoop) -> Void]>([])
        /// Whether no further exchanges will be added.
        private var isClosing = false
        private let options: CurlTransport.Options
        private let multi: OpaquePointer
        private let watch = CurlWatch()
        private var busy: [OpaquePointer: CurlHandle] = [:]
        private var idle: [CurlHandle] = []

        init?(_ options: CurlTransport.Options) {
            // Connections to more origins than these are closed when they are idle.
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
            // Also ends a wait that begins later.
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
                return exchange.reject(TransportError.unreachable("libcurl has no memory left"))
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
                let (status, proxyStatus) = (handle.status, handle.proxyStatus)
                let detail = outcome == 0 ? "" : handle.errorDetail
                let isEndless = recycle(handle)
                if isEndless {
                    let words = "the server never ends its greeting"
                    // A request that was sent may have been applied: session tickets follow the greeting.
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

        /// Ends the exchanges whose time is over. Returns the deadline of the next.
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

        /// Ends an exchange early, and closes its connection if it is in progress.
        private func end(_ exchange: CurlExchange) {
            exchange.isOver = true
            exchange.discardBody()
            if let handle = busy.values.first(where: { $0.exchange === exchange }) { recycle(handle) }
        }

        /// - Returns: Whether its connection was closed because libcurl did not return from it.
        @discardableResult
        private func recycle(_ handle: CurlHandle) -> Bool {
            pledge_curl_multi_remove(multi, handle.easy)
            busy[handle.easy] = nil
            if idle.count < max(1, options.requestsInFlight) { idle.append(handle) }
            return handle.release()
        }
    }
#endif
