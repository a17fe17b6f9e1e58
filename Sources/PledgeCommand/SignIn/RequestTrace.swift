import Foundation
import Pledge
import PledgeBatch
import PledgeHTTP

/// A transport that reports each request and response for `--verbose`, without secrets, headers, or bodies.
final class RequestTrace: HTTPTransport {
    private let transport: any HTTPTransport
    private let clock: Timekeeper
    private let report: @Sendable (String) -> Void
    /// The number of unsuccessful attempts in a row, by a fingerprint of the request.
    private let attempts = Locked<[HashKey: Int]>([:])

    init(
        _ transport: any HTTPTransport, clock: Timekeeper, report: @escaping @Sendable (_ words: String) -> Void
    ) {
        (self.transport, self.clock, self.report) = (transport, clock, report)
    }

    func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
        let key = HashKey(
            "\(request.method) \(request.url)", request.headers["Authorization"] ?? "",
            request.body?.base64EncodedString() ?? "")
        let attempt = attempts.withLock { attempts in
            attempts[key, default: 0] += 1
            return attempts[key, default: 1]
        }
        let secrets = Secrets(request)
        let query = request.url.query.flatMap { secrets.hide($0) == $0 ? "?\($0)" : nil } ?? ""
        let name = "\(request.method) \(secrets.hide(request.url.redacted))\(query)"
        report("> \(name), attempt \(attempt)")
        let sent = clock.uptime()
        return transport.send(request).settled().then(on: nil) { outcome -> Promise<HTTPReply> in
            let time = "\(Int(((self.clock.uptime() - sent) * 1000).rounded())) ms, attempt \(attempt)"
            switch outcome {
            case .success(let reply):
                self.report("< \(reply.status) from \(name), \(reply.body.count) bytes in \(time)")
                // Other requests are sent again, or are the last attempt.
                if Diagnosis(status: reply.status).outcome == .answered {
                    self.attempts.withLock { $0[key] = nil }
                }
            case .failure(let error):
                self.report("< no response from \(name): \(secrets.hide("\(error)")), \(time)")
            }
            return firstly { Promise.value(try outcome.get()) }
        }
    }
}
