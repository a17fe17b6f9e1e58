import Foundation
import Pledge

/// A type that sends requests. Conform to it for a fake, a different HTTP client, or recording.
public protocol HTTPTransport: Sendable {
    /// Sends a request once, follows no redirect, and keeps no state between calls.
    ///
    /// - Rejects: With ``TransportError``. A status code such as 404 or 500 is a response, not an error.
    /// - Cancellation: Cancels the request in progress.
    func send(_ request: OutgoingRequest) -> Promise<RawResponse>

    /// Whether the transport sends a body from files and writes a response to a file without holding them in memory.
    ///
    /// Only this package's transports do so. A transport that passes requests to one of these unchanged can return its
    /// value. For any other, the client reads such a body into memory, and writes a complete response to its file.
    var streamsFiles: Bool { get }
}

extension HTTPTransport {
    /// False, so that the client reads and writes the files itself.
    public var streamsFiles: Bool { false }
}
