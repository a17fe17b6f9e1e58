import Foundation

/// The tokens, and the uses of each in the last hour.
final class ExistAccess: Sendable {
    private struct State {
        var tokens: [String: ExistToken] = [:]
        var uses = HourlyUses(limit: nil)
    }

    private let clock: ExistClock
    private let state = Protected(State())

    init(clock: ExistClock) {
        self.clock = clock
    }

    var rateLimit: Int? {
        get { state.withLock(\.uses.limit) }
        set { state.withLock { $0.uses.limit = newValue } }
    }

    func add(_ token: ExistToken) {
        state.withLock { $0.tokens[token.text] = token }
    }

    func remove(_ token: String) {
        state.withLock { $0.tokens[token] = nil }
    }

    /// Returns a route for any valid token. Others get a 401, and those over the hourly limit a 429.
    func readers(
        _ pattern: String, _ respond: @escaping @Sendable (ServerRequest, ExistToken) throws -> ServerResponse
    ) -> ServerRoute {
        ServerRoute(pattern) { [self] in try respond($0, token(of: $0)) }
    }

    /// Returns a route for any valid OAuth2 token; a simple token, which is read-only, gets a 403.
    func writers(
        _ pattern: String, _ respond: @escaping @Sendable (ServerRequest, ExistToken) throws -> ServerResponse
    ) -> ServerRoute {
        readers(pattern) { request, token in
            guard token.kind == .oauth else {
                throw ServerResponse.json(
                    ["detail": "You do not have permission to perform this action."], status: 403)
            }
            return try respond(request, token)
        }
    }

    private func token(of request: ServerRequest) throws -> ExistToken {
        guard let credential = request.headers["Authorization"] else {
            throw ServerResponse.json(["detail": "Authentication credentials were not provided."], status: 401)
        }
        let words = credential.split(separator: " ").map(String.init)
        guard words.count == 2, let token = state.withLock({ $0.tokens[words[1]] }), token.kind.scheme == words[0],
            token.expires.map({ $0 > clock.now() }) ?? true
        else {
            throw ServerResponse.json(["detail": "Invalid token."], status: 401)
        }
        let isAllowed = state.withLock { $0.uses.limit == nil || $0.uses.count(token.text, at: clock.now()).isAllowed }
        // The service sends neither a body nor Retry-After with a 429.
        guard isAllowed else { throw ServerResponse.empty(429) }
        return token
    }
}
