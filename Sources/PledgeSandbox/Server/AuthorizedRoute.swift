/// Which callers may use a route, and what their responses carry.
struct RouteAuthorization<Caller: Sendable>: Sendable {
    /// Identifies the caller and passes it on, or throws the response that refuses an unauthorized caller.
    let admit: @Sendable (SandboxRequest, @Sendable (Caller) throws -> SandboxResponse) throws -> SandboxResponse
}

extension RouteAuthorization<Void> {
    /// Admits every caller: pages opened in a browser, and endpoints whose credentials are in the form.
    static var anyone: RouteAuthorization { RouteAuthorization { _, respond in try respond(()) } }
}

/// A route that declares which callers may use it. The services consist only of these, so no route can omit the check.
struct AuthorizedRoute: Sendable {
    let route: SandboxRoute

    /// Creates a route whose response depends on the caller.
    init<Caller>(
        _ pattern: String, for authorization: RouteAuthorization<Caller>,
        respond: @escaping @Sendable (SandboxRequest, Caller) throws -> SandboxResponse
    ) {
        route = SandboxRoute(pattern) { request in
            try authorization.admit(request) { try respond(request, $0) }
        }
    }

    /// Creates a route whose response is the same for every admitted caller.
    init(
        _ pattern: String, for authorization: RouteAuthorization<Void>,
        respond: @escaping @Sendable (SandboxRequest) throws -> SandboxResponse
    ) {
        self.init(pattern, for: authorization) { request, _ in try respond(request) }
    }
}

/// A group of related routes of a service.
protocol RouteGroup: Sendable {
    var routes: [AuthorizedRoute] { get }
}

extension [any RouteGroup] {
    /// The routes of all groups, in the form a server takes.
    var routes: [SandboxRoute] {
        flatMap(\.routes).map(\.route)
    }
}
