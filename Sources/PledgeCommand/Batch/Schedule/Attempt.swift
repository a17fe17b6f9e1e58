import Foundation
import PledgeHTTP

/// What became of one sending of a request, as far as the schedule is concerned.
struct Attempt: Sendable, Equatable {
    enum Outcome: Sendable, Equatable {
        /// A reply about the account, good or bad: the service works.
        case answered
        /// 429, and the seconds to wait, if it said.
        case limited(seconds: Double?)
        /// The service does not work, or is not there.
        case trouble(Trouble, seconds: Double?)
        /// Nothing that the service would say: a body that was cut off, a web page.
        case garbled
        /// Neither good nor bad news of the service, such as a certificate that cannot be trusted.
        case unclear
    }

    enum Trouble: Sendable, Equatable {
        /// No connection can be made at all, which no account can be the reason of.
        case noConnection
        /// A connection that broke, a reply that did not come, a fault of the service.
        case fault
    }

    var outcome: Outcome
    /// Seconds for which the service said that nothing is left for the token.
    var closes: Double?

    init(_ outcome: Outcome, closes: Double? = nil) {
        self.outcome = outcome
        self.closes = closes
    }
}

extension Attempt {
    init(_ result: Result<HTTPReply, any Error>, now: Date) {
        switch result {
        case .failure(TransportError.unreachable): self.init(.trouble(.noConnection, seconds: nil))
        case .failure(TransportError.connectionLost), .failure(TransportError.timedOut),
            .failure(TransportError.stalled):
            self.init(.trouble(.fault, seconds: nil))
        case .failure(TransportError.badReply): self.init(.garbled)
        case .failure: self.init(.unclear)
        case .success(let reply): self.init(reply, now: now)
        }
    }

    private init(_ reply: HTTPReply, now: Date) {
        let asked = AskedWait.seconds(in: reply, now: now)
        let limit = RateLimit(reply.headers, now: now)
        closes = limit?.remaining == 0 ? limit?.resetsAt?.timeIntervalSince(now) : nil
        outcome =
            switch reply.status {
            case 200..<300: Self.isJSON(reply.body) ? .answered : .garbled
            case 429: .limited(seconds: asked)
            case 408, 425, 500...: .trouble(.fault, seconds: asked)
            default: .answered
            }
    }

    /// Whether it begins and ends as an object or a list does: enough to tell a reply from a web page or half a reply.
    private static func isJSON(_ body: Data) -> Bool {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }
        var bytes = body[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        let (first, last) = (bytes.first { !isSpace($0) }, bytes.last { !isSpace($0) })
        return first == UInt8(ascii: "{") && last == UInt8(ascii: "}")
            || first == UInt8(ascii: "[") && last == UInt8(ascii: "]")
    }
}
