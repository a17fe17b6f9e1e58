/// Finds the route of a request, and responds to requests without one as Django does.
struct RouteTable: Sendable {
    let routes: [SandboxRoute]

    func respond(to request: SandboxRequest) -> SandboxResponse {
        let method = request.method == "HEAD" ? "GET" : request.method
        let matches = matches(for: request.path)
        if let (route, parameters) = matches.first(where: { $0.route.method == method }) {
            var request = request
            request.parameters = parameters
            return answer(of: route, to: request)
        }
        if !matches.isEmpty {
            return notAllowed(request.method, allowed: matches.map(\.route.method))
        }
        if !request.path.hasSuffix("/"), !self.matches(for: request.path + "/").isEmpty {
            return redirectToSlash(request)
        }
        return .json(["detail": "Not found."], status: 404)
    }

    private func matches(for path: String) -> [(route: SandboxRoute, parameters: [String: String])] {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        return routes.compactMap { route in
            route.match(segments).map { (route, $0) }
        }
    }

    private func answer(of route: SandboxRoute, to request: SandboxRequest) -> SandboxResponse {
        do {
            return try route.respond(request)
        } catch let response as SandboxResponse {
            return response
        } catch {
            return .json(["detail": .string("\(error)")], status: 500)
        }
    }

    private func notAllowed(_ method: String, allowed: [String]) -> SandboxResponse {
        let names = allowed.contains("GET") ? allowed + ["HEAD"] : allowed
        let detail: SandboxJSON = ["detail": "Method \"\(method)\" not allowed."]
        var response = SandboxResponse.json(detail, status: 405)
        response.headers["Allow"] = names.joined(separator: ", ")
        return response
    }

    private func redirectToSlash(_ request: SandboxRequest) -> SandboxResponse {
        let path = request.target.prefix { $0 != "?" }
        let query = request.query.map { "?" + $0 } ?? ""
        // An absolute URL, because Foundation on Linux drops the trailing slash of a bare path and redirects forever.
        let host = request.headers["Host"].map { "http://\($0)" } ?? ""
        return .empty(301, headers: ["Location": "\(host)\(path)/\(query)"])
    }
}
