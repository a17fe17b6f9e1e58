import Foundation
import Pledge
import PledgeHTTP

/// A transport that reports each request and response for `--verbose`. The reports contain neither secrets nor headers
/// and bodies.
struct RequestTrace: HTTPTransport {
    let transport: any HTTPTransport
    let clock: Timekeeper
    let report: @Sendable (_ words: String) -> Void

    func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
        let secrets = Secrets(request)
        let query = request.url.query.flatMap { secrets.hide($0) == $0 ? "?\($0)" : nil } ?? ""
        let name = "\(request.method) \(secrets.hide(request.url.redacted))\(query)"
        report("> \(name), attempt \(request.attempt)")
        let sent = clock.uptime()
        return transport.send(request).tap(on: nil) { (outcome: Result<RawResponse, any Error>) in
            let time = "\(Int(((clock.uptime() - sent) * 1000).rounded())) ms, attempt \(request.attempt)"
            switch outcome {
            case .success(let response):
                report("< \(response.status) from \(name), \(response.body.count) bytes in \(time)")
            case .failure(let error):
                report("< no response from \(name): \(secrets.hide("\(error)")), \(time)")
            }
        }
    }
}
