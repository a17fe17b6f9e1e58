import Foundation

/// The outcome of one attempt to send a request, as far as limits, retries, and the health of a service depend on it.
package struct Attempt: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
        /// A response about the request, success or failure: the service works.
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

    package enum Trouble: Sendable, Equatable {
        /// No connection can be made at all, which no request can cause.
        case noConnection
        /// A lost connection, a missing response, or a fault of the service.
        case fault
    }

    package var outcome: Outcome
    /// The status code of a response that is not the result of the call.
    package var status: Int?
    /// The rate limit that the response announces.
    package var announced: RateLimit?
    /// The seconds during which the service permits no further requests with the token.
    package var closes: Double?

    /// Whether the service has processed the request, so that it may well permit others.
    package var showsRoom: Bool {
        switch outcome {
        case .answered: true
        case .trouble: status != nil
        case .limited, .garbled, .unclear: false
        }
    }

    /// Whether the request has not reached the service.
    package var isUnsent: Bool { if case .trouble(.noConnection, _) = outcome { true } else { false } }

    package init(_ outcome: Outcome, closes: Double? = nil) {
        self.outcome = outcome
        self.closes = closes
    }

    /// - Parameters:
    ///   - expectsJSON: Whether a successful response is to be JSON.
    ///   - isResult: Whether the response, whatever its status code, is the result of the call.
    package init(_ result: Result<HTTPReply, any Error>, expectsJSON: Bool, isResult: Bool = false, now: Date) {
        switch result {
        case .failure(TransportError.unreachable): self.init(.trouble(.noConnection, seconds: nil))
        case .failure(let error as TransportError) where error.isTransient: self.init(.trouble(.fault, seconds: nil))
        case .failure(TransportError.badReply): self.init(.garbled)
        case .failure: self.init(.unclear)
        case .success(let reply): self.init(reply, expectsJSON, isResult, now)
        }
    }

    private init(_ reply: HTTPReply, _ expectsJSON: Bool, _ isResult: Bool, _ now: Date) {
        announced = RateLimit(reply.headers, now: now)
        closes = announced?.remaining == 0 ? announced?.resetsAt?.timeIntervalSince(now) : nil
        let asked = RetryAfter.seconds(in: reply, now: now)
        outcome =
            switch reply.status {
            case 204, 205: .answered
            case 200..<300: expectsJSON && !Self.isJSON(reply.body) ? .garbled : .answered
            case _ where isResult: .answered
            case 429: .limited(seconds: asked)
            case 408, 425, 500...: .trouble(.fault, seconds: asked)
            default: .answered
            }
        status = outcome == .answered || outcome == .garbled ? nil : reply.status
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

extension TransportError {
    /// Whether a retry may succeed.
    package var isTransient: Bool {
        switch self {
        case .unreachable, .connectionLost, .timedOut, .stalled: true
        case .untrusted, .tooLarge, .unwritable, .badReply, .unsendable: false
        }
    }
}
