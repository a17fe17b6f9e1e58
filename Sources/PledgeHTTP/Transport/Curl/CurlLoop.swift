#if os(Linux)
    import Foundation
    import Pledge

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
        private let watch: CurlWatch
        private var busy: [OpaquePointer: CurlHandle] = [:]
        private var idle: [CurlHandle] = []

        init?(_ options: CurlTransport.Options) {
            // The number of connections that libcurl keeps. If there are more, it closes idle ones.
            let connections = min(max(1, options.requestsInFlight), 1 << 20) * 16
            guard let multi = pledge_curl_multi_new(connections) else { return nil }
            self.options = options
            self.multi = multi
            watch = CurlWatch(connectTimeout: options.connectTimeout)
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
                let begun = Self.now()
                pledge_curl_multi_perform(multi)
                excuse(Self.now() - begun)
                finishEnded()
                let deadline = endOverdue()
                if isClosing && busy.isEmpty { return }
                let seconds = min(deadline - Self.now(), 1_000)
                pledge_curl_multi_poll(multi, CInt(max(0, (seconds * 1000).rounded(.up))))
            }
        }

        private func start(_ exchange: CurlExchange) {
            guard !exchange.isOver else { return }
            guard let handle = idle.popLast() ?? CurlHandle(options, watch, self) else {
                return exchange.reject(TransportError.unreachable("libcurl is out of memory"))
            }
            exchange.began = Self.now()
            handle.prepare(for: exchange)
            busy[handle.easy] = handle
            let outcome = pledge_curl_multi_add(multi, handle.easy)
            if outcome != 0 {
                retire(handle)
                exchange.reject(.unreachable("libcurl did not accept the request: code \(outcome)"))
            }
        }

        /// Notes that a request is about to be sent on a connection that was made for another request. It may share the
        /// connection with requests that are in progress. From then on, libcurl repeats these requests as well if the
        /// connection is lost.
        func sharesConnection(_ exchange: CurlExchange) {
            // Only HTTP/2 shares connections. Few exchanges are alone, so few addresses are parsed here.
            guard exchange.request.url.scheme == "https" else { return }
            for other in busy.values.compactMap(\.exchange) where other.isAloneOnNewConnection {
                if Origin(other.request.url) == Origin(exchange.request.url) { other.isAloneOnNewConnection = false }
            }
        }

        /// Extends the limits of all exchanges by the time for which the thread was stuck, because no exchange could
        /// make progress in that time. See `CurlWatch`.
        private func excuse(_ seconds: TimeInterval) {
            guard seconds > 1 else { return }
            for exchange in busy.values.compactMap(\.exchange) { exchange.extendLimits(by: seconds) }
        }

        /// Settles the exchanges that have ended.
        private func finishEnded() {
            var outcome: CInt = 0
            while let easy = pledge_curl_multi_next_ended(multi, &outcome) {
                guard let handle = busy[easy], let exchange = handle.exchange else { continue }
                let status = handle.status
                let proxyStatus = handle.proxyStatus
                let detail = outcome == 0 ? "" : handle.errorDetail
                let wasShutDown = retire(handle, isReusable: outcome == 0)
                if let failure = exchange.failure {
                    exchange.reject(failure)
                } else if outcome == 0 {
                    exchange.conclude(status: status)
                } else if wasShutDown {
                    exchange.reject(exchange.deadline(options).error)
                } else if proxyStatus >= 300, exchange.sendings == 0 {
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
            if let handle = busy.values.first(where: { $0.exchange === exchange }) { retire(handle) }
        }

        /// Ends the use of a handle for its exchange. Returns whether the watch has shut down the exchange's connection.
        ///
        /// A handle is reused only after a complete response. Before version 8.16, libcurl does not reset a handle
        /// completely: after an upload that could not be repeated, all further requests with the handle would fail.
        @discardableResult
        private func retire(_ handle: CurlHandle, isReusable: Bool = false) -> Bool {
            pledge_curl_multi_remove(multi, handle.easy)
            busy[handle.easy] = nil
            if isReusable, idle.count < max(1, options.requestsInFlight) { idle.append(handle) }
            return handle.release()
        }
    }
#endif
