import Foundation
import Pledge
import PledgeFiles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request in progress, and what has been received.
final class SessionExchange: Sendable {
    private let request: OutgoingRequest
    private let line: SessionLine
    private let seal: Resolver<RawResponse>
    private let state = Locked(State())

    private struct State {
        var task: URLSessionTask?
        var response: HTTPURLResponse?
        /// Nil once the exchange was stopped.
        var body: ReceivedBody?
        /// The body of the request, if it had to be written to a file of its own, which is never moved anywhere: it is
        /// removed with the last reference or, if the process is killed, by the next that makes such a file.
        var upload: Replacement?
        var failure: TransportError?
        var cancelDeadline: (@Sendable () -> Void)?
        var cancelLastCall: (@Sendable () -> Void)?
    }

    init(_ request: OutgoingRequest, on line: SessionLine, seal: Resolver<RawResponse>) {
        self.request = request
        self.line = line
        self.seal = seal
        state.withLock { $0.body = ReceivedBody(request) }
    }

    func start() {
        let cancel = Timekeeper.live.schedule(request.timeout) { [weak self, request] in
            self?.stop(.timedOut(seconds: request.timeout))
        }
        state.withLock { $0.cancelDeadline = cancel }
        guard let files = request.bodyFiles else { return begin(nil) }
        if let file = files.file { return begin(file) }
        // Foundation sends a file or bytes, but not one after the other.
        DispatchQueue.global().async { [self] in
            do {
                let folder = FileManager.default.temporaryDirectory
                let upload = try Replacement(
                    of: OutputPath(inFolderOf: folder.appendingPathComponent("body")), old: nil)
                try files.forEachChunk { try upload.file.writeAll($0) }
                state.withLock { $0.upload = upload }
                begin(folder.appendingPathComponent(upload.temporary))
            } catch {
                let problem =
                    (error as? UnreadableFile)?.description ?? "the body cannot be written to a temporary file"
                seal.reject(TransportError.unsendable(problem))
                stop(nil)
            }
        }
    }

    /// - Parameter file: The file that holds the body, if it is not in memory.
    private func begin(_ file: URL?) {
        line.queue.async { [self] in
            // Foundation on Linux ends the process if it cannot open the file.
            if let file, (try? FileBody.piece(file)) == nil {
                seal.reject(TransportError.unsendable("a file of the body cannot be read"))
                return stop(nil)
            }
            let task: URLSessionTask =
                if let file {
                    line.session.uploadTask(with: urlRequest, fromFile: file)
                } else {
                    line.session.dataTask(with: urlRequest)
                }
            line.delegate.add(self, for: task)
            let isStopped = state.withLock { state in
                state.task = task
                return state.body == nil
            }
            // A request that was stopped before Foundation created its task must not be sent.
            if isStopped { task.cancel() } else { task.resume() }
        }
    }

    private var urlRequest: URLRequest {
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = request.method.rawValue
        urlRequest.httpBody = request.body
        // The deadline in `start` is the one that applies, to the millisecond; Foundation's on Linux is in whole
        // seconds, and crashes with too many.
        urlRequest.timeoutInterval = min(max(request.timeout, 0), 1e6).rounded(.up) + 60
        for field in request.headers.fields {
            urlRequest.setValue(field.value, forHTTPHeaderField: field.name)
        }
        #if os(Linux)
            if !request.method.isIdempotent { urlRequest.setValue("close", forHTTPHeaderField: "Connection") }
        #endif
        return urlRequest
    }

    /// Ends the exchange early, for this reason; nil if it was canceled.
    func stop(_ reason: TransportError?) {
        state.withLock { state in
            if state.failure == nil { state.failure = reason }
            state.body = nil
        }
        // Rejects only when the task has ended: closing the connection while Foundation on Linux still reads headers
        // would end the process. One second is the limit, as Foundation never completes some exchanges.
        if let reason {
            let cancel = Timekeeper.live.schedule(1) { [seal] in seal.reject(reason) }
            state.withLock { $0.cancelLastCall = cancel }
        }
        line.queue.async { [self] in state.withLock({ $0.task })?.cancel() }
    }

    /// Declines a redirect. On Linux, doing so after the task was canceled would end the process.
    func refuseRedirect(_ completionHandler: (URLRequest?) -> Void) {
        state.withLock { if $0.body != nil { completionHandler(nil) } }
    }

    func receive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        let headers = Self.headers(response)
        let failure = state.withLock { state -> TransportError? in
            state.response = response
            do throws(TransportError) {
                try state.body?.expect(headers, status: response.statusCode)
                return nil
            } catch {
                return error
            }
        }
        request.progress?.begin(headers)
        if let failure { return stop(failure) }
        let size = response.allHeaderFields.reduce(0) { $0 + "\($1.key)\($1.value)".utf8.count + 4 }
        if size > TransportError.headerLimit { stop(.headersTooLarge) }
    }

    func receive(_ data: Data) {
        let failure = state.withLock { state -> TransportError? in
            guard let status = state.response?.statusCode else { return nil }
            do throws(TransportError) {
                try state.body?.append(data, status: status)
                return nil
            } catch {
                return error
            }
        }
        if let failure { return stop(failure) }
        request.progress?.update { $0.bytesReceived += data.count }
    }

    func send(_ count: Int) {
        request.progress?.update { $0.bytesSent = count }
    }

    func complete(_ error: (any Error)?) {
        let (response, failure, cancelDeadline, cancelLastCall) = state.withLock {
            $0.upload = nil
            return ($0.response, $0.failure, $0.cancelDeadline, $0.cancelLastCall)
        }
        cancelDeadline?()
        cancelLastCall?()
        let whole = failure == nil && (error.map(isRefusedChallenge) ?? true) ? response : nil
        // Removes the file of an incomplete response, before anyone learns that there is none.
        if whole == nil { state.withLock { $0.body = nil } }
        if let failure {
            seal.reject(failure)
        } else if let whole {
            do {
                let response = try state.withLock { state in
                    var body = state.body.take()
                    return try body?.response(whole.statusCode, Self.headers(whole))
                }
                if let response { seal.fulfill(response) } else { seal.reject(PromiseError.cancelled) }
            } catch {
                seal.reject(error)
            }
        } else if let error {
            seal.reject(TransportError(error, beforeResponse: response == nil))
        } else {
            seal.reject(TransportError.badResponse("no status line"))
        }
    }

    private static func headers(_ response: HTTPURLResponse) -> HeaderFields {
        let fields = response.allHeaderFields.map { HeaderFields.Field(name: "\($0.key)", value: "\($0.value)") }
        return HeaderFields(fields.sorted { $0.name < $1.name })
    }

    /// Whether the error only reports that a 401's challenge was canceled: the response is then the outcome.
    private func isRefusedChallenge(_ error: any Error) -> Bool {
        guard let code = (error as? URLError)?.code else { return false }
        return code == .cancelled || code == .userCancelledAuthentication || code == .userAuthenticationRequired
    }
}
