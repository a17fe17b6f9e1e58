import Foundation
import Pledge
import PledgeFiles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request in progress, and what was received of its response so far.
final class SessionExchange: Sendable {
    private let request: OutgoingRequest
    private let session: DelegatedSession
    private let seal: Resolver<RawResponse>
    private let state = Locked(State())

    private struct State {
        var task: URLSessionTask?
        var response: HTTPURLResponse?
        /// The body that was received so far; nil once the exchange was stopped.
        var body: ReceivedBody?
        /// The body of the request, if it had to be written to a temporary file; otherwise nil.
        ///
        /// Unlike the temporary file of a download, this file is never moved to another place. It is removed when the
        /// last reference to it is released. If the process is killed, the file is removed by the next process that
        /// makes such a file.
        var upload: Replacement?
        var failure: TransportError?
        var cancelDeadline: (@Sendable () -> Void)?
        var cancelLastCall: (@Sendable () -> Void)?
    }

    init(_ request: OutgoingRequest, on session: DelegatedSession, seal: Resolver<RawResponse>) {
        self.request = request
        self.session = session
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
        // Foundation can send a file or bytes, but not both one after the other.
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

    /// - Parameter file: The file that contains the body, if the body is not in memory.
    private func begin(_ file: URL?) {
        session.queue.async { [self] in
            // Foundation on Linux ends the process if it cannot open the file.
            if let file, (try? FileBody.piece(file)) == nil {
                seal.reject(TransportError.unsendable("a file of the body cannot be read"))
                return stop(nil)
            }
            let task: URLSessionTask =
                if let file {
                    session.urlSession.uploadTask(with: urlRequest, fromFile: file)
                } else {
                    session.urlSession.dataTask(with: urlRequest)
                }
            session.delegate.add(self, for: task)
            let isStopped = state.withLock { state in
                state.task = task
                return state.body == nil
            }
            // If the request was stopped before Foundation created the task, the task must not start.
            if isStopped { task.cancel() } else { task.resume() }
        }
    }

    private var urlRequest: URLRequest {
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = request.method.rawValue
        urlRequest.httpBody = request.body
        // Foundation's timeout is set later than the deadline in `start`, which is exact to the millisecond. On Linux,
        // Foundation's own timeout is in whole seconds, and Foundation crashes if there are too many of them.
        urlRequest.timeoutInterval = min(max(request.timeout, 0), 1e6).rounded(.up) + 60
        for field in request.headers.fields {
            urlRequest.setValue(field.value, forHTTPHeaderField: field.name)
        }
        #if os(Linux)
            if !request.method.isIdempotent { urlRequest.setValue("close", forHTTPHeaderField: "Connection") }
        #endif
        return urlRequest
    }

    /// Ends the exchange early.
    ///
    /// - Parameter reason: The error to reject with; nil if the exchange was canceled.
    func stop(_ reason: TransportError?) {
        state.withLock { state in
            if state.failure == nil { state.failure = reason }
            state.body = nil
        }
        // The promise is rejected only when the task has ended, or after one second.
        //
        // Without the wait, the connection could be closed while Foundation on Linux still reads headers, and then the
        // process would end. The wait is limited, because Foundation never completes some exchanges.
        if let reason {
            let cancel = Timekeeper.live.schedule(1) { [seal] in seal.reject(reason) }
            state.withLock { $0.cancelLastCall = cancel }
        }
        session.queue.async { [self] in state.withLock({ $0.task })?.cancel() }
    }

    /// Declines a redirect. If the task was canceled, this method does nothing: on Linux, declining the redirect of a
    /// canceled task would end the process.
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
        // Removes the file of an incomplete response before the promise is settled, so that no one sees the file.
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

    /// Returns whether the error only reports that the challenge of a 401 was canceled. If so, the response is the
    /// outcome.
    private func isRefusedChallenge(_ error: any Error) -> Bool {
        guard let code = (error as? URLError)?.code else { return false }
        return code == .cancelled || code == .userCancelledAuthentication || code == .userAuthenticationRequired
    }
}
