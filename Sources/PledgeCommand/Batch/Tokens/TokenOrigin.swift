import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeHTTP

/// The origin of a line's token. It consists of closures, in which neither `print` nor `dump` finds a token.
struct TokenOrigin: Sendable {
    typealias Source =
        @Sendable (
            _ client: () -> MyDataHelpsClient, _ address: URL, _ options: EndpointClient.Options
        ) -> any TokenSource

    /// Returns the identity of the rate limit's owner: the token itself if it is known; nil if there is no token.
    let owner: @Sendable () -> String?
    /// Returns the tokens of an account in a run, which reject with ``NoToken`` if there is none.
    ///
    /// - Parameters:
    ///   - client: Creates the account's client, which requests new tokens.
    ///   - address: The server of the account's requests.
    ///   - options: The options of a client that renews tokens.
    let source: Source

    init(
        _ json: Any?, of service: AccountID.Service, _ kind: ExistCredential.Kind, _ environment: [String: String]
    ) throws(BadLine) {
        if let text = json as? String {
            self = .text {
                guard !text.isEmpty else { throw NoToken(problem: "“token” is empty") }
                return text
            }
            return
        }
        let members = json as? [String: Any] ?? [:]
        let (form, value) = members.count == 1 ? members.first ?? ("", "") : ("", "")
        if let secret = StoredSecret("token", form, value, environment) {
            self = .text(secret.text)
            return
        }
        switch (form, value) {
        case ("command", let words as [String]):
            guard let command = TokenCommand(words, environment) else {
                throw BadLine("“command” in “token” is not a list of a program and its arguments")
            }
            self = .command(command)
        case ("profile", let name as String):
            guard let origin = Self.profile(name, of: service, kind, environment) else {
                throw BadLine("“profile” in “token” is not the name of a profile of “pledge login”")
            }
            self = origin
        case ("serviceAccount", _) where service == .mydatahelps:
            guard let origin = Self.serviceAccount(value, environment) else {
                throw BadLine(
                    "“serviceAccount” in “token” is not {\"name\":\"…\",\"key\":{\"file\":\"PATH\"} or {\"env\":\"NAME\"},"
                        + "\"project\":\"…\",\"participant\":\"…\"}")
            }
            self = origin
        default:
            throw BadLine(
                "“token” is neither a string nor one of {\"env\":\"NAME\"}, {\"file\":\"PATH\"}, "
                    + "{\"command\":[\"PROGRAM\",…]}, {\"profile\":\"NAME\"}, and for MyDataHelps {\"serviceAccount\":{…}}"
            )
        }
    }

    private init(owner: @escaping @Sendable () -> String?, source: @escaping Source) {
        (self.owner, self.source) = (owner, source)
    }
}

extension TokenOrigin {
    static func text(_ read: @escaping @Sendable () throws -> String) -> TokenOrigin {
        TokenOrigin(owner: { (try? read()).map { "token \($0)" } }) { _, _, _ in
            FetchedTokens.reading { .value(try read()) }
        }
    }

    static func command(_ command: TokenCommand) -> TokenOrigin {
        TokenOrigin(owner: { "command \(command.identity)" }) { _, _, _ in
            FetchedTokens.reading {
                command.run().map(on: nil) { output in
                    let token = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
                    guard !token.isEmpty else { throw NoToken(problem: "\(command) printed nothing") }
                    return token
                }
            }
        }
    }

    /// Returns the tokens of a stored profile, renewed by one process at a time, as in other commands. Nil if the name
    /// is invalid or the environment specifies no location for profiles.
    ///
    /// Renewing does not count toward the account's limits and does not wait for them, because it holds the profile's
    /// lock, for which other programs wait.
    private static func profile(
        _ name: String, of service: AccountID.Service, _ kind: ExistCredential.Kind, _ environment: [String: String]
    ) -> Self? {
        guard ProfileStore.isName(name), let store = ProfileStore(environment) else { return nil }
        return TokenOrigin(owner: { "profile \(name)" }) { _, address, options in
            FetchedTokens.deferred {
                let tokens = try ProfileTokens(of: service, profile: name, in: store, at: address, kind)
                return .value(try tokens.source(options))
            }
        }
    }

    /// Returns the tokens that a service account issues for a participant. Its requests use the account's client and
    /// limits. Nil if a member is missing, empty, or unknown.
    private static func serviceAccount(_ json: Any?, _ environment: [String: String]) -> Self? {
        guard let members = json as? [String: Any], members.count == 4,
            let key = SigningKey(members["key"], environment)
        else { return nil }
        let texts = ["name", "project", "participant"].compactMap { members[$0] as? String }
        guard texts.count == 3, !texts.contains(where: \.isEmpty) else { return nil }
        // All lines of a service account share its rate limit, which the responses to its own token announce.
        return TokenOrigin(owner: { "service account \(texts[0])" }) { client, _, _ in
            let account = ServiceAccount(name: texts[0], client: client()) { try key.signature(of: $0) }
            return ServiceAccountTokens(account) {
                account.participant(texts[2], in: Project.ID(texts[1])).map(on: nil) { account.tokens(for: $0.id) }
            }
        }
    }
}

/// The tokens of a participant, and the service account that issues them.
final class ServiceAccountTokens: TokenSource {
    let account: ServiceAccount
    private let tokens: any TokenSource

    init(_ account: ServiceAccount, _ tokens: @escaping @Sendable () -> Promise<any TokenSource>) {
        (self.account, self.tokens) = (account, FetchedTokens.deferred(tokens))
    }

    func token() -> Promise<String> { tokens.token() }
    func token(replacing rejected: String) -> Promise<String> { tokens.token(replacing: rejected) }
}
