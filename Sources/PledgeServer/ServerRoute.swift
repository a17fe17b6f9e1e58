/// A route of a server: a method, a path, and the closure that responds to requests with this method and path.
///
///     ServerRoute("GET /hello/{name}") { request in
///         .text("Hello, \(request.parameters["name"] ?? "")!")
///     }
///
/// A segment in braces matches any text. All other segments must equal those of the request's percent-decoded path. A
/// route for `GET` also responds to `HEAD` requests.
public struct ServerRoute: Sendable {
    /// The method of the requests that this route responds to.
    public let method: String
    /// The path. A variable segment is written `{name}`.
    public let path: String
    package let respond: @Sendable (ServerRequest) throws -> ServerResponse
    private let segments: [Substring]

    /// Creates a route from a pattern: a method and a path, separated by a space.
    ///
    /// The closure runs on the thread of the connection, so it may block. If it throws a `ServerResponse`, the server
    /// sends that response. If it throws another error, the server responds with a 500.
    public init(_ pattern: String, respond: @escaping @Sendable (ServerRequest) throws -> ServerResponse) {
        let words = pattern.split(separator: " ", maxSplits: 1)
        precondition(
            words.count == 2 && words[1].hasPrefix("/"), "A route reads like \"GET /path/\", not \"\(pattern)\"")
        method = String(words[0])
        path = String(words[1])
        segments = words[1].split(separator: "/", omittingEmptySubsequences: false)
        self.respond = respond
    }

    /// Returns the values of the variable segments if the route matches the path; nil if it doesn't match.
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

extension [ServerRoute] {
    /// Returns the response of the route that matches the request. If no route matches, returns the response that
    /// Django would send: a 404, a 405, or a redirect to the path with a slash at its end.
    func respond(to request: ServerRequest) -> ServerResponse {
        let method = request.method == "HEAD" ? "GET" : request.method
        let matches = matches(for: request.path)
        if let (route, parameters) = matches.first(where: { $0.route.method == method }) {
            var request = request
            request.parameters = parameters
            do {
                return try route.respond(request)
            } catch {
                return error as? ServerResponse ?? .json(["detail": .string("\(error)")], status: 500)
            }
        }
        if !matches.isEmpty { return notAllowed(request.method, allowed: matches.map(\.route.method)) }
        if !request.path.hasSuffix("/"), !self.matches(for: request.path + "/").isEmpty {
            return redirectToSlash(request)
        }
        return .json(["detail": "Not found."], status: 404)
    }

    private func matches(for path: String) -> [(route: ServerRoute, parameters: [String: String])] {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        return compactMap { route in route.match(segments).map { (route, $0) } }
    }

    private func notAllowed(_ method: String, allowed: [String]) -> ServerResponse {
        let names = allowed.contains("GET") ? allowed + ["HEAD"] : allowed
        var response = ServerResponse.json(["detail": "Method \"\(method)\" not allowed."], status: 405)
        response.headers["Allow"] = names.joined(separator: ", ")
        return response
    }

    private func redirectToSlash(_ request: ServerRequest) -> ServerResponse {
        let path = request.target.prefix { $0 != "?" }
        let query = request.query.map { "?" + $0 } ?? ""
        // The URL is absolute. If it were only a path, Foundation on Linux would drop the slash at the end and be
        // redirected forever.
        let host = request.headers["Host"].map { "http://\($0)" } ?? ""
        return .empty(301, headers: ["Location": "\(host)\(path)/\(query)"])
    }
}
