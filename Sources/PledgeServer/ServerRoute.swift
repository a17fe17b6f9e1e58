/// A method, a path, and the closure that responds to its requests.
///
///     ServerRoute("GET /hello/{name}") { request in
///         .text("Hello, \(request.parameters["name"] ?? "")!")
///     }
///
/// A segment in braces matches any text; the others are compared with the percent-decoded path. A route for `GET` also
/// responds to `HEAD`.
public struct ServerRoute: Sendable {
    /// The method this route responds to.
    public let method: String
    /// The path, with `{name}` for a variable segment.
    public let path: String
    package let respond: @Sendable (ServerRequest) throws -> ServerResponse
    private let segments: [Substring]

    /// Creates a route from a method and a path, separated by a space.
    ///
    /// The closure runs on the connection's thread and may block. A `ServerResponse` it throws is sent; another error
    /// becomes a 500.
    public init(_ pattern: String, respond: @escaping @Sendable (ServerRequest) throws -> ServerResponse) {
        let words = pattern.split(separator: " ", maxSplits: 1)
        precondition(
            words.count == 2 && words[1].hasPrefix("/"), "A route reads like \"GET /path/\", not \"\(pattern)\"")
        method = String(words[0])
        path = String(words[1])
        segments = words[1].split(separator: "/", omittingEmptySubsequences: false)
        self.respond = respond
    }

    /// Returns the variable segments of `path`; nil if the route does not match.
    func match(_ path: [Substring]) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var parameters: [String: String] = [:]
        for (pattern, segment) in zip(segments, path) {
            if pattern.hasPrefix("{"), pattern.hasSuffix("}"), !segment.isEmpty {
                parameters[String(pattern.dropFirst().dropLast())] = String(segment)
            } else if pattern != segment {
                return nil
            }
        }
        return parameters
    }
}
