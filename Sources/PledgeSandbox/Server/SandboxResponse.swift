import Foundation

/// What a route answers: a status with headers and a body, or a fault of the line.
///
/// A response is an `Error` too, so that a route can `throw` one from a helper instead of handing it up.
public struct SandboxResponse: Hashable, Sendable, Error {
    /// What goes over the line.
    enum Content: Hashable, Sendable {
        case message(status: Int, headers: SandboxHeaders, body: Data)
        case steps([SandboxStep])
    }

    var content: Content

    /// How long to wait before the first byte, in seconds.
    public var delay: TimeInterval = 0

    /// Makes a response; the server adds `Content-Length` and `Connection`.
    public init(status: Int, headers: SandboxHeaders = [:], body: Data = Data()) {
        content = .message(status: status, headers: headers, body: body)
    }

    init(content: Content) {
        self.content = content
    }

    /// Closes the connection without a reply.
    ///
    /// A client that had used the connection before may take it for a stale one and quietly ask again on another, as curl and
    /// Foundation on Linux do; to make its call fail, drop the second request too.
    public static let drop = steps([])

    /// Sends these bytes as they are and closes the connection, for replies no proper server would give.
    public static func raw(_ bytes: Data) -> SandboxResponse {
        steps([.send(bytes)])
    }

    /// Does these things to the connection, one after the other, and closes it.
    public static func steps(_ steps: [SandboxStep]) -> SandboxResponse {
        SandboxResponse(content: .steps(steps))
    }

    /// A status without a body.
    public static func empty(_ status: Int, headers: SandboxHeaders = [:]) -> SandboxResponse {
        SandboxResponse(status: status, headers: headers)
    }

    /// A reply of plain text.
    public static func text(_ text: String, status: Int = 200) -> SandboxResponse {
        SandboxResponse(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
    }

    /// A JSON document; one that JSON cannot express (a number that is not finite) becomes a 500.
    public static func json(_ value: SandboxJSON, status: Int = 200) -> SandboxResponse {
        guard let body = try? value.encoded() else { return .text("The reply is not JSON.", status: 500) }
        return SandboxResponse(status: status, headers: ["Content-Type": "application/json"], body: body)
    }

    /// The same response, sent `seconds` later.
    public func delayed(by seconds: TimeInterval) -> SandboxResponse {
        var later = self
        later.delay += seconds
        return later
    }

    /// The status; 0 when there is none because of a fault of the line.
    public var status: Int {
        if case .message(let status, _, _) = content { status } else { 0 }
    }

    /// The body; for a fault of the line all bytes it sends.
    public var body: Data {
        switch content {
        case .message(_, _, let body): body
        case .steps(let steps): steps.reduce(Data()) { $0 + $1.bytes }
        }
    }

    /// The header fields the route gave; without meaning for a fault of the line.
    public var headers: SandboxHeaders {
        get {
            if case .message(_, let headers, _) = content { headers } else { [:] }
        }
        set {
            guard case .message(let status, _, let body) = content else { return }
            content = .message(status: status, headers: newValue, body: body)
        }
    }
}
