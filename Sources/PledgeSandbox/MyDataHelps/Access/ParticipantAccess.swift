import Foundation

/// The persons of the project, and the tokens of participants and service accounts.
final class ParticipantAccess: Sendable {
    struct Token: Sendable {
        let scopes: Set<String>
        /// The number of the participant; nil for a service account.
        let person: Int?
    }

    let tokens: TokenTable<Token>
    private let key: String
    private let state = Protected((people: (0..<ProjectPerson.count).map { ProjectPerson($0) }, issued: 0))

    init(now: @escaping @Sendable () -> Date, key: String) {
        self.key = key
        tokens = TokenTable(limit: 500, now: now)
    }

    /// Adds a participant's token.
    ///
    /// - Parameter participant: The project's identifier of the person; nil for a new person.
    func add(_ token: String, of participant: String?, scopes: Set<String>, lifetime: TimeInterval?) {
        let person = state.withLock { state in
            if let known = state.people.firstIndex(where: { $0.identifier == participant }) { return known }
            state.people.append(ProjectPerson(state.people.count, identifier: participant))
            return state.people.count - 1
        }
        tokens.add(token, Token(scopes: scopes, person: person), lifetime: lifetime)
    }

    /// All persons of the project, in order of enrollment.
    var people: [ProjectPerson] { state.withLock(\.people) }

    func person(_ token: String?) -> ProjectPerson { people[token.flatMap { tokens[$0] }?.person ?? 0] }

    /// Returns the text of a new token: different on each call, the same on every run with the same key.
    func newToken(_ kind: String) -> String {
        let number = state.withLock { state in
            state.issued += 1
            return state.issued
        }
        return "eyJhbGciOiJSUzI1NiJ9.\(kind).\(number)\(key)"
    }
}

extension ServerRequest {
    var bearer: String? {
        let words = (headers["Authorization"] ?? "").split(separator: " ").map(String.init)
        return words.count == 2 && words[0] == "Bearer" ? words[1] : nil
    }
}
