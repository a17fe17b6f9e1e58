/// One path with one method, and what it answers.
///
///     SandboxRoute("GET /hello/{name}") { request in
///         .text("Hello, \(request.parameters["name"] ?? "")!")
///     }
///
/// A segment in braces takes any text; the others are compared with the percent-decoded path. A route for `GET` answers
/// `HEAD` too.
public struct SandboxRoute: Sendable {
    /// The method this route answers.
    public let method: String
    /// The path, with `{name}` for a segment that varies.
    public let path: String
    let respond: @Sendable (SandboxRequest) throws -> SandboxResponse
    private let segments: [Substring]

    /// Makes a route from a method and a path with a space between them.
    ///
    /// The closure runs on the thread of the connection and may block. A `SandboxResponse` it throws is sent; any other error
    /// becomes a 500.
    public init(_ pattern: String, respond: @escaping @Sendable (SandboxRequest) throws -> SandboxResponse) {
        let words = pattern.split(separator: " ", maxSplits: 1)
        precondition(
            words.count == 2 && words[1].hasPrefix("/"), "A route reads like \"GET /path/\", not \"\(pattern)\"")
        method = String(words[0])
        path = String(words[1])
        segments = words[1].split(separator: "/", omittingEmptySubsequences: false)
        self.respond = respond
    }

    /// The varying segments of `path`; `nil` when this is not its route.
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
