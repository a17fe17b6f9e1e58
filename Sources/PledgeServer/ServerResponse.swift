import Foundation

/// The response of a route: a status code with headers and a body, or a connection fault. A helper can `throw` it.
public struct ServerResponse: Hashable, Sendable, Error {
    /// The status code; 0 for a connection fault.
    public let status: Int
    /// The header fields set by the route; meaningless for a connection fault.
    public var headers: ServerHeaders
    /// The delay before the first byte, in seconds.
    public var delay: TimeInterval = 0
    /// The steps of a connection fault.
    private(set) var fault: [ServerStep]?
    private let ownBody: Data

    /// The body; for a connection fault, all bytes it sends.
    public var body: Data { fault?.reduce(into: Data()) { $0 += $1.bytes } ?? ownBody }

    /// Creates a response; the server adds `Content-Length` and `Connection`.
    public init(status: Int, headers: ServerHeaders = [:], body: Data = Data()) {
        (self.status, self.headers, ownBody) = (status, headers, body)
    }

    /// Closes the connection without a response.
    ///
    /// A client may consider a reused connection stale and silently retry on another, as curl and Foundation on Linux
    /// do; to make its call fail, drop the second request, too.
    public static let drop = steps([])

    /// Sends the bytes unchanged and closes the connection, for responses that no correct server would send.
    public static func raw(_ bytes: Data) -> ServerResponse {
        steps([.send(bytes)])
    }

    /// Performs the steps on the connection in order, and closes it.
    public static func steps(_ steps: [ServerStep]) -> ServerResponse {
        var response = ServerResponse(status: 0)
        response.fault = steps
        return response
    }

    /// Returns a response without a body.
    public static func empty(_ status: Int, headers: ServerHeaders = [:]) -> ServerResponse {
        ServerResponse(status: status, headers: headers)
    }

    /// Returns a plain-text response.
    public static func text(_ text: String, status: Int = 200) -> ServerResponse {
        ServerResponse(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
    }

    /// Returns a JSON response; a value JSON cannot represent (a number that is not finite) becomes a 500.
    public static func json(_ value: ServerJSON, status: Int = 200, headers: ServerHeaders = [:]) -> ServerResponse {
        guard let body = try? value.encoded() else { return .text("The response is not JSON.", status: 500) }
        var response = ServerResponse(status: status, headers: headers, body: body)
        if headers["Content-Type"] == nil { response.headers["Content-Type"] = "application/json" }
        return response
    }

    /// Returns the response, delayed by `seconds`.
    public func delayed(by seconds: TimeInterval) -> ServerResponse {
        var later = self
        later.delay += seconds
        return later
    }
}
