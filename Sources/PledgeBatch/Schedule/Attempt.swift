import Foundation
import PledgeHTTP

/// The outcome of one attempt to send a request, as far as it matters to the schedule.
struct Attempt: Sendable, Equatable {
    enum Outcome: Sendable, Equatable {
        /// A response about the account, success or failure: the service works.
        case answered
        /// A 429, and the seconds to wait, if specified.
        case limited(seconds: Double?)
        /// The service does not work or is unreachable.
        case trouble(Trouble, seconds: Double?)
        /// A response that cannot have come from the service: a truncated body or a web page.
        case garbled
        /// No indication of the service's health, such as an untrusted certificate.
        case unclear
    }

    enum Trouble: Sendable, Equatable {
        /// No connection can be made at all, which no account can cause.
        case noConnection
        /// A lost connection, a missing response, or a fault of the service.
        case fault
    }

    var outcome: Outcome
    /// The seconds during which the service permits no further requests with the token.
    var closes: Double?

    init(_ outcome: Outcome, closes: Double? = nil) {
        self.outcome = outcome
        self.closes = closes
    }
}

extension Attempt {
    /// - Parameter expectsJSON: Whether a successful response is to be JSON.
    init(_ result: Result<HTTPReply, any Error>, expectsJSON: Bool, now: Date) {
        switch result {
        case .failure(TransportError.unreachable): self.init(.trouble(.noConnection, seconds: nil))
        case .failure(let error as TransportError) where error.isTransient:
            self.init(.trouble(.fault, seconds: nil))
        case .failure(TransportError.badReply): self.init(.garbled)
        case .failure: self.init(.unclear)
        case .success(let reply): self.init(reply, expectsJSON, now)
        }
    }

    private init(_ reply: HTTPReply, _ expectsJSON: Bool, _ now: Date) {
        let asked = RetryAfter.seconds(in: reply, now: now)
        let limit = RateLimit(reply.headers, now: now)
        closes = limit?.remaining == 0 ? limit?.resetsAt?.timeIntervalSince(now) : nil
        outcome =
            switch reply.status {
            case 204, 205: .answered
            case 200..<300: expectsJSON && !Self.isJSON(reply.body) ? .garbled : .answered
            case 429: .limited(seconds: asked)
            case 408, 425, 500...: .trouble(.fault, seconds: asked)
            default: .answered
            }
    }

    /// Whether it begins and ends like an object or a list, which detects web pages and truncated responses.
    private static func isJSON(_ body: Data) -> Bool {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }
        var bytes = body[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        let (first, last) = (bytes.first { !isSpace($0) }, bytes.last { !isSpace($0) })
        return first == UInt8(ascii: "{") && last == UInt8(ascii: "}")
            || first == UInt8(ascii: "[") && last == UInt8(ascii: "]")
    }
}
