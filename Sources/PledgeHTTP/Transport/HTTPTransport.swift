import Foundation
import Pledge

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A type that sends requests. Conform to it to provide a fake, to use a different HTTP client, or to record requests.
public protocol HTTPTransport: Sendable {
    /// Sends a request once. An implementation must not follow redirects, and must not keep state, such as cookies,
    /// between calls.
    ///
    /// - Rejects: With ``TransportError``. A status code such as 404 or 500 is a response, not an error.
    /// - Cancellation: Cancels the request in progress.
    func send(_ request: OutgoingRequest) -> Promise<RawResponse>

    /// Whether the transport itself reads a request's body from files and writes a response to a file, so that neither
    /// is in memory as a whole.
    ///
    /// Only this package's transports do so. If your transport passes requests unchanged to one of them, return that
    /// transport's value. For any other transport, the client reads such a body into memory, and writes a complete
    /// response to its file.
    var streamsFiles: Bool { get }
}

extension HTTPTransport {
    /// Returns false, so that the client reads and writes the files.
    public var streamsFiles: Bool { false }
}
