/// Who may ask for a route, and what their replies carry.
struct RouteAuthorization<Caller: Sendable>: Sendable {
    /// Finds out who asks and hands that on, or throws the response that turns a stranger away.
    let admit: @Sendable (SandboxRequest, @Sendable (Caller) throws -> SandboxResponse) throws -> SandboxResponse
}

extension RouteAuthorization<Void> {
    /// Lets everybody in: pages that people open, and endpoints whose credentials are in the form.
    static var anyone: RouteAuthorization { RouteAuthorization { _, respond in try respond(()) } }
}

/// A route that says who may ask for it. The services are made of these alone, so none of their routes can forget to check.
struct AuthorizedRoute: Sendable {
    let route: SandboxRoute

    /// A route whose answer depends on the caller.
    init<Caller>(
        _ pattern: String, for authorization: RouteAuthorization<Caller>,
        respond: @escaping @Sendable (SandboxRequest, Caller) throws -> SandboxResponse
    ) {
        route = SandboxRoute(pattern) { request in
            try authorization.admit(request) { try respond(request, $0) }
        }
    }

    /// A route whose answer is the same for every caller that is let in.
    init(
        _ pattern: String, for authorization: RouteAuthorization<Void>,
        respond: @escaping @Sendable (SandboxRequest) throws -> SandboxResponse
    ) {
        self.init(pattern, for: authorization) { request, _ in try respond(request) }
    }
}

/// Routes of a service that belong together.
protocol RouteGroup: Sendable {
    var routes: [AuthorizedRoute] { get }
}

extension [any RouteGroup] {
    /// The routes of all groups, as a server takes them.
    var routes: [SandboxRoute] {
        flatMap(\.routes).map(\.route)
    }
}
