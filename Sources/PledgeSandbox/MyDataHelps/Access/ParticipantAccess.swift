import Foundation

/// The tokens, and the uses of each in the last hour.
final class ParticipantAccess: Sendable {
    enum Kind: Sendable {
        case participant
        case service
    }

    struct Allowance {
        let limit: Int
        let remaining: Int
        let reset: Int
    }

    struct Token {
        let kind: Kind
        let expires: Date?
        let scopes: Set<String>
        let person: Int
    }

    private struct State {
        var people = (0..<ProjectPerson.count).map { ProjectPerson($0) }
        var tokens: [String: Token] = [:]
        var uses = HourlyUses(limit: 500)
        var issued = 0
    }

    private let now: @Sendable () -> Date
    private let key: String
    private let state = Protected(State())

    init(now: @escaping @Sendable () -> Date, key: String) {
        (self.now, self.key) = (now, key)
    }

    var rateLimit: Int {
        get { state.withLock { $0.uses.limit ?? 0 } }
        set { state.withLock { $0.uses.limit = newValue } }
    }

    /// - Parameter participant: The project's identifier of the person; nil for a new person.
    func add(
        _ token: String, kind: Kind, lifetime: TimeInterval?, scopes: Set<String> = [ParticipantScope.everything],
        of participant: String? = ParticipantBackend.participantIdentifier
    ) {
        let expires = lifetime.map { now().addingTimeInterval($0) }
        state.withLock { state in
            let (number, known) = (state.people.count, state.people.firstIndex { $0.identifier == participant })
            if known == nil { state.people.append(ProjectPerson(number, identifier: participant)) }
            state.tokens[token] = Token(kind: kind, expires: expires, scopes: scopes, person: known ?? number)
        }
    }

    /// All persons of the project, in order of enrollment.
    var people: [ProjectPerson] { state.withLock(\.people) }

    func person(_ token: String?) -> ProjectPerson {
        state.withLock { state in state.people[token.flatMap { state.tokens[$0] }?.person ?? 0] }
    }

    func remove(_ token: String) { state.withLock { $0.tokens[token] = nil } }

    /// Returns a new token: different on each call, the same on every run with the same key.
    func issue(
        _ kind: Kind, lifetime: TimeInterval, scopes: Set<String> = [ParticipantScope.everything],
        of participant: String = ParticipantBackend.participantIdentifier
    ) -> String {
        let number = state.withLock { state in
            state.issued += 1
            return state.issued
        }
        let token = "eyJhbGciOiJSUzI1NiJ9.\(kind == .service ? "service" : "participant").\(number)\(key)"
        add(token, kind: kind, lifetime: lifetime, scopes: scopes, of: participant)
        return token
    }

    /// Returns a token; nil unless it is valid for this kind of caller.
    func token(_ text: String?, _ kind: Kind) -> Token? {
        guard let token = state.withLock({ $0.tokens[text ?? ""] }), token.kind == kind else { return nil }
        return token.expires ?? .distantFuture > now() ? token : nil
    }

    /// Counts a use, if the rate limit allows it, and returns the remainder of the limit.
    func use(_ token: String) -> (isAllowed: Bool, Allowance) {
        let (limit, use) = state.withLock { ($0.uses.limit ?? 0, $0.uses.count(token, at: now())) }
        return (use.isAllowed, Allowance(limit: limit, remaining: use.left, reset: use.reset))
    }

    var fullAllowance: Allowance { Allowance(limit: rateLimit, remaining: rateLimit, reset: 3_600) }
}

extension ServerRequest {
    var bearer: String? {
        let words = (headers["Authorization"] ?? "").split(separator: " ").map(String.init)
        return words.count == 2 && words[0] == "Bearer" ? words[1] : nil
    }
}
