import Foundation

/// The reason no complete response was received.
public enum TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No connection could be established, or the service said that it has not processed the request and wants another
    /// connection. In either case, the request has had no effect.
    case unreachable(String)
    /// The connection was lost before the response was complete.
    case connectionLost(String)
    /// The certificate or the encryption was not acceptable.
    case untrusted(String)
    /// The exchange exceeded this time limit, in seconds.
    case timedOut(seconds: TimeInterval)
    /// The response began, but then no byte arrived for this many seconds.
    case stalled(seconds: TimeInterval)
    /// The response body exceeded this limit, in bytes.
    case tooLarge(limit: Int)
    /// The response could not be written to a file, for this reason.
    case unwritable(String)
    /// The response is not valid HTTP.
    case badResponse(String)
    /// The request cannot be expressed in HTTP and was not sent.
    case unsendable(String)

    public var description: String {
        switch self {
        case .unreachable(let detail): "no connection could be made (\(detail))"
        case .connectionLost(let detail): "the connection was lost (\(detail))"
        case .untrusted(let detail): "the connection is not secure (\(detail))"
        case .timedOut(let seconds): "no response within \(Self.words(seconds)) s"
        case .stalled(let seconds): "no data for \(Self.words(seconds)) s"
        case .tooLarge(let limit): "the response is larger than \(limit) bytes"
        case .unwritable(let detail): "the response could not be written to the file (\(detail))"
        case .badResponse(let detail): "the response is not valid HTTP (\(detail))"
        case .unsendable(let detail): "the request was not sent (\(detail))"
        }
    }

    private static func words(_ seconds: TimeInterval) -> String {
        Int(exactly: seconds).map(String.init) ?? "\(seconds)"
    }

    /// The number of seconds that stands for no time limit: clocks cannot count to infinity.
    static let longestTimeout: TimeInterval = 1e9
}

extension TransportError {
    /// The maximum size of a response's headers, in bytes, including those of interim responses and trailers where the
    /// transport receives them.
    static let headerLimit = 256 << 10

    static let headersTooLarge = TransportError.badResponse("the headers are larger than \(headerLimit >> 10) KiB")
}
