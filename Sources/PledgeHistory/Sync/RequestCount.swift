import Pledge
import PledgeHTTP

/// A counter of the requests of a client whose transport it wraps, including retries.
public final class RequestCount: Sendable {
    private let count = Locked(0)
    private let counted: (@Sendable () -> Int)?

    /// Creates a counter that starts at zero.
    public init() { counted = nil }

    /// Creates a counter that reads a count kept elsewhere.
    public init(_ counted: @escaping @Sendable () -> Int) { self.counted = counted }

    /// The number of requests so far.
    public var value: Int { counted?() ?? count.withLock { $0 } }

    /// Returns a transport for the client that counts each request and sends it through the given transport.
    public func counting(_ transport: any HTTPTransport) -> any HTTPTransport {
        Counted(count: self, transport: transport)
    }

    private struct Counted: HTTPTransport {
        let count: RequestCount
        let transport: any HTTPTransport

        func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
            count.count.withLock { $0 += 1 }
            return transport.send(request)
        }
    }
}
