extension [ServerRoute] {
    /// Responds as the matching route does, or as Django does without one.
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
        // Absolute, because Foundation on Linux drops the trailing slash of a bare path and redirects forever.
        let host = request.headers["Host"].map { "http://\($0)" } ?? ""
        return .empty(301, headers: ["Location": "\(host)\(path)/\(query)"])
    }
}
