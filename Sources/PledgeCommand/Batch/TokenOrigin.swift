import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeCoding
import PledgeHTTP

/// The origin of an account's tokens: what `token` says in the account's line.
enum TokenOrigin: Sendable {
    /// The token is in the line.
    case text(String)
    /// The token is in a file or in an environment variable.
    case secret(StoredSecret)
    /// A command prints the token.
    case command(TokenCommand)
    /// The tokens are those of a profile of `pledge login`.
    case profile(String, AccountID.Service, ExistCredential.Kind, ProfileStore)
    /// A service account requests the tokens for a participant.
    case serviceAccount(name: String, SigningKey, project: String, participant: String)

    init(
        _ json: Any?, of service: AccountID.Service, _ kind: ExistCredential.Kind, _ environment: [String: String]
    ) throws(BadLine) {
        if let text = json as? String {
            self = .text(text)
            return
        }
        let members = json as? [String: Any] ?? [:]
        let (form, value) = members.count == 1 ? members.first ?? ("", "") : ("", "")
        if let secret = StoredSecret("token", form, value, environment) {
            self = .secret(secret)
            return
        }
        switch (form, value) {
        case ("command", let words as [String]):
            guard let command = TokenCommand(words, environment) else {
                throw BadLine("“command” in “token” is not a list of a program and its arguments")
            }
            self = .command(command)
        case ("profile", let name as String):
            guard ProfileStore.isName(name), let store = ProfileStore(environment) else {
                throw BadLine("“profile” in “token” is not the name of a profile of “pledge login”")
            }
            self = .profile(name, service, kind, store)
        case ("serviceAccount", _) where service == .mydatahelps:
            let members = value as? [String: Any] ?? [:]
            let texts = ["name", "project", "participant"].compactMap { members[$0] as? String }
            guard members.count == 4, texts.count == 3, !texts.contains(where: \.isEmpty),
                let key = SigningKey(members["key"], environment)
            else {
                throw BadLine(
                    "“serviceAccount” in “token” is not {\"name\":\"…\",\"key\":{\"file\":\"PATH\"} or {\"env\":\"NAME\"},"
                        + "\"project\":\"…\",\"participant\":\"…\"}")
            }
            self = .serviceAccount(name: texts[0], key, project: texts[1], participant: texts[2])
        default:
            throw BadLine(
                "“token” is neither a string nor one of {\"env\":\"NAME\"}, {\"file\":\"PATH\"}, "
                    + "{\"command\":[\"PROGRAM\",…]}, {\"profile\":\"NAME\"}, and for MyDataHelps {\"serviceAccount\":{…}}"
            )
        }
    }

    /// Returns a text that is the same for all tokens that share a rate limit, such as `profile work`. If the token is
    /// in the line, in a variable, or in a file, the text contains the token itself. Returns nil if there is no token.
    func limitOwner() -> String? {
        switch self {
        case .text(let token): token.isEmpty ? nil : "token \(token)"
        case .secret(let secret): (try? secret.text()).map { "token \($0)" }
        case .command(let command): "command \(command.identity)"
        case .profile(let name, _, _, _): "profile \(name)"
        // The responses to requests with the service account's own token report this limit.
        case .serviceAccount(let name, _, _, _): "service account \(name)"
        }
    }

    /// Returns the source of an account's tokens during a run, and the service account that issues them, if any. The
    /// source rejects with ``NoToken`` if there is no token.
    ///
    /// - Parameters:
    ///   - client: Creates the account's client. A service account requests tokens with this client, so the requests
    ///     count toward the account's limits.
    ///   - address: The base URL of the server that receives the account's requests.
    ///   - options: The options of the client that renews a stored account's token. Other origins use only its clock.
    func makeTokens(
        _ client: () -> MyDataHelpsClient, _ address: URL, _ options: EndpointClient.Options
    ) -> (tokens: any TokenSource, serviceAccount: ServiceAccount?) {
        switch self {
        case .text(let token):
            let tokens = FetchedTokens.reading(options.clock) {
                guard !token.isEmpty else { throw NoToken(problem: "“token” is empty") }
                return .value(token)
            }
            return (tokens, nil)
        case .secret(let secret):
            return (FetchedTokens.reading(options.clock) { .value(try secret.text()) }, nil)
        case .command(let command):
            let tokens = FetchedTokens.reading(options.clock) {
                command.run().map(on: nil) { output in
                    let token = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
                    guard !token.isEmpty else { throw NoToken(problem: "\(command) printed nothing") }
                    return token
                }
            }
            return (tokens, nil)
        case .profile(let name, let service, let kind, let store):
            // As in other commands, only one process at a time renews the tokens. The renewal doesn't count toward the
            // account's limits and doesn't wait for them. The profile is locked during the renewal, and other programs
            // wait for that lock.
            do {
                let tokens = try ProfileTokens(of: service, profile: name, in: store, at: address, kind)
                return (try tokens.source(options), nil)
            } catch {
                return (FetchedTokens { _ in Promise(error: error) }, nil)
            }
        case .serviceAccount(let name, let key, let project, let participant):
            let account = ServiceAccount(name: name, client: client()) { try key.signature(of: $0) }
            // The participant's identifier is requested when the first token is needed.
            let found = SharedRenewal<any TokenSource>()
            let tokens = FetchedTokens { rejected in
                found.value(options.clock) { _ in
                    account.participant(participant, in: Project.ID(project))
                        .map(on: nil) { account.tokens(for: $0.id) }
                }.then(on: nil) { tokens in rejected.map { tokens.token(replacing: $0) } ?? tokens.token() }
            }
            return (tokens, account)
        }
    }
}

extension TokenOrigin: Redacted {
    /// The kind of origin. The description never contains a token.
    var description: String {
        switch self {
        case .text: "a token in the line"
        case .secret(let secret): "\(secret)"
        case .command(let command): "\(command)"
        case .profile(let name, _, _, _): "the profile \(name)"
        case .serviceAccount(let name, _, _, _): "the service account \(name)"
        }
    }
}
