import Foundation
import MyDataHelpsKit
import Pledge
import PledgeHTTP

/// A service account that issues the tokens of a line, and the participant whom they are for.
///
/// Its requests go through the account's client, and count as the account's.
struct IssuedForParticipant: Sendable {
    private let name: String
    private let key: SigningKey
    private let project: String
    private let participant: String

    /// Creates it from a line's object; nil if a member is missing, empty, or unknown.
    init?(_ json: Any?, _ environment: [String: String]) {
        guard let members = json as? [String: Any], members.count == 4,
            let key = SigningKey(members["key"], environment)
        else { return nil }
        let texts = ["name", "project", "participant"].compactMap { members[$0] as? String }
        guard texts.count == 3, !texts.contains(where: \.isEmpty) else { return nil }
        (name, project, participant, self.key) = (texts[0], texts[1], texts[2], key)
    }

    /// The owner of the limits of all tokens that are issued.
    var identity: String { [name, project, participant].joined(separator: "\0") }

    func tokens(over client: MyDataHelpsClient) -> any TokenSource {
        let account = ServiceAccount(name: name, client: client) { [key] bytes in try key.signature(of: bytes) }
        return DeferredTokens { [participant, project] in
            account.participantID(of: participant, in: Project.ID(project)).map(on: nil) { account.tokens(for: $0) }
        }
    }
}

/// Tokens of a source that is itself the result of a request, made when the first token is needed.
final class DeferredTokens: TokenSource {
    private let find: @Sendable () -> Promise<any TokenSource>
    private let found = TokenCache<any TokenSource>()

    init(_ find: @escaping @Sendable () -> Promise<any TokenSource>) {
        self.find = find
    }

    func token() -> Promise<String> { source.then(on: nil) { $0.token() } }

    func token(replacing rejected: String) -> Promise<String> {
        source.then(on: nil) { $0.token(replacing: rejected) }
    }

    private var source: Promise<any TokenSource> { found.token(.live) { _ in find() } }
}
