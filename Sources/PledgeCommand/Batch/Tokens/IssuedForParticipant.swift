import Foundation
import MyDataHelpsKit
import Pledge
import PledgeFiles
import PledgeHTTP

/// A service account that issues the tokens of a line, and the participant whom they are for.
///
/// Its requests go through the account's client, and count as the account's.
struct IssuedForParticipant: Sendable {
    private let name: String
    private let keyPath: String
    private let project: String
    private let participant: String
    private let environment: @Sendable () -> [String: String]

    /// The program that signs: neither this package nor the system's Swift has RSA everywhere.
    private static let program = "openssl"

    /// Creates it from a line's object; nil if a member is missing, empty, or unknown.
    init?(_ json: Any?, _ environment: [String: String]) {
        guard let members = json as? [String: Any], members.count == 4,
            let key = members["key"] as? [String: String], key.count == 1, let path = key["file"]
        else { return nil }
        let texts = ["name", "project", "participant"].compactMap { members[$0] as? String }
        guard texts.count == 3, !(texts + [path]).contains(where: \.isEmpty) else { return nil }
        (name, project, participant, keyPath) = (texts[0], texts[1], texts[2], path)
        self.environment = { environment }
    }

    /// The owner of the limits of all tokens that are issued.
    var identity: String { [name, project, participant].joined(separator: "\0") }

    func tokens(over client: MyDataHelpsClient) -> any TokenSource {
        let account = ServiceAccount(name: name, client: client) { bytes in try signature(of: bytes) }
        return DeferredTokens { [participant, project] in
            account.participantID(of: participant, in: Project.ID(project)).map(on: nil) { account.tokens(for: $0) }
        }
    }

    /// - Throws: ``NoToken``.
    func signature(of bytes: Data) throws -> Data {
        guard SystemFile(reading: keyPath)?.isRegular == true else {
            throw NoToken(problem: "the key's file \(keyPath) cannot be read")
        }
        // With an empty pass phrase, because for one that is missing it would ask the terminal.
        let words = [Self.program, "dgst", "-sha256", "-sign", keyPath, "-passin", "pass:"]
        guard let command = TokenCommand(words, environment()) else { throw NoToken(problem: "the key has no path") }
        return try command.output(of: bytes)
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
