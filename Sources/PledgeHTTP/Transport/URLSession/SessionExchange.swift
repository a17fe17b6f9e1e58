import Foundation
import Pledge

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request under way.
final class SessionExchange: Sendable {
    private let request: OutgoingRequest
    private let line: SessionLine
    private let seal: Resolver<HTTPReply>
    private let state = Locked(State())

    private struct State {
        var task: URLSessionDataTask?
        var response: HTTPURLResponse?
        var body = Data()
        var failure: TransportError?
        var isStopped = false
        var cancelDeadline: (@Sendable () -> Void)?
        var cancelLastCall: (@Sendable () -> Void)?
    }

    init(_ request: OutgoingRequest, on line: SessionLine, seal: Resolver<HTTPReply>) {
        self.request = request
        self.line = line
        self.seal = seal
    }

    func start() {
        let cancel = Timekeeper.live.schedule(request.timeout) { [weak self, request] in
            self?.stop(.timedOut(seconds: request.timeout))
        }
        state.withLock { $0.cancelDeadline = cancel }
        line.queue.async { [self] in
            let task = line.session.dataTask(with: urlRequest)
            line.delegate.add(self, for: task)
            let isStopped = state.withLock { state in
                state.task = task
                return state.isStopped
            }
            // What was given up while Foundation had no time is not to be sent after all.
            if isStopped { task.cancel() } else { task.resume() }
        }
    }

    private var urlRequest: URLRequest {
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = request.method.rawValue
        urlRequest.httpBody = request.body
        urlRequest.httpShouldHandleCookies = false
        // Ours is the deadline that counts, to the millisecond; Foundation's on Linux knows whole seconds only, and
        // crashes when there are too many.
        urlRequest.timeoutInterval = min(max(request.timeout, 0), 1e6).rounded(.up) + 60
        for field in request.headers.fields {
            urlRequest.setValue(field.value, forHTTPHeaderField: field.name)
        }
        #if os(Linux)
            if !request.method.isIdempotent { urlRequest.setValue("close", forHTTPHeaderField: "Connection") }
        #endif
        return urlRequest
    }

    /// Ends it early, for this reason; nil if nobody wants to know.
    func stop(_ reason: TransportError?) {
        state.withLock { state in
            if state.failure == nil { state.failure = reason }
            state.isStopped = true
            state.body = Data()
        }
        // Rejected when the task has ended: were the connection closed in the middle of a head while Foundation on Linux
        // still reads it, that would end the process. But a second later at most: some replies never let go of Foundation.
        if let reason {
            let cancel = Timekeeper.live.schedule(1) { [seal] in seal.reject(reason) }
            state.withLock { $0.cancelLastCall = cancel }
        }
        line.queue.async { [self] in state.withLock({ $0.task })?.cancel() }
    }

    /// Lets a redirect be; on Linux, saying so after the task was cancelled would end the process.
    func refuseRedirect(_ completionHandler: (URLRequest?) -> Void) {
        state.withLock { if !$0.isStopped { completionHandler(nil) } }
    }

    func receive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        state.withLock { $0.response = response }
        let size = response.allHeaderFields.reduce(0) { $0 + "\($1.key)\($1.value)".utf8.count + 4 }
        if size > TransportError.headerLimit { stop(.headersTooLarge) }
    }

    func receive(_ data: Data) {
        let isTooLarge = state.withLock { state in
            guard !state.isStopped else { return false }
            guard state.body.count + data.count <= request.bodyLimit else { return true }
            state.body.append(data)
            return false
        }
        if isTooLarge { stop(.tooLarge(limit: request.bodyLimit)) }
    }

    func complete(_ error: (any Error)?) {
        let (response, body, failure, cancelDeadline, cancelLastCall) = state.withLock {
            ($0.response, $0.body, $0.failure, $0.cancelDeadline, $0.cancelLastCall)
        }
        cancelDeadline?()
        cancelLastCall?()
        if let failure {
            seal.reject(failure)
        } else if let error, !(isRefusedChallenge(error) && response != nil) {
            seal.reject(TransportError(error, beforeReply: response == nil))
        } else if let response {
            let fields = response.allHeaderFields.map { HeaderFields.Field(name: "\($0.key)", value: "\($0.value)") }
            seal.fulfill(
                HTTPReply(
                    url: request.url, status: response.statusCode,
                    headers: HeaderFields(fields.sorted { $0.name < $1.name }), body: body))
        } else {
            seal.reject(TransportError.badReply("no status line"))
        }
    }

    /// A 401 whose challenge was refused ends as "cancelled", with the reply in hand: that reply is the outcome.
    private func isRefusedChallenge(_ error: any Error) -> Bool {
        guard let code = (error as? URLError)?.code else { return false }
        return code == .cancelled || code == .userCancelledAuthentication || code == .userAuthenticationRequired
    }
}
