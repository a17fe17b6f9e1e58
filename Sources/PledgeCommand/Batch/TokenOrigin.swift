import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeHTTP

/// The origin of a line's token. The properties are closures, so that neither `print` nor `dump` can show a token.
struct TokenOrigin: Sendable {
    typealias MakeTokens =
        @Sendable (
            _ client: () -> MyDataHelpsClient, _ address: URL, _ options: EndpointClient.Options
        ) -> (tokens: any TokenSource, serviceAccount: ServiceAccount?)

    /// Returns a text that is the same for all tokens that share a rate limit, such as `profile work`. If the token is
    /// in the line, in a variable, or in a file, the text contains the token itself. Returns nil if there is no token.
    let limitOwner: @Sendable () -> String?
    /// Returns the source of an account's tokens during a run, and the service account that issues them, if any. The
    /// source rejects with ``NoToken`` if there is no token.
    ///
    /// - Parameters:
    ///   - client: Creates the account's client. A service account uses this client to request tokens.
    ///   - address: The base URL of the server that receives the account's requests.
    ///   - options: The options of the client that renews a stored account's token. Other origins use only its clock.
    let makeTokens: MakeTokens

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

    private init(limitOwner: @escaping @Sendable () -> String?, makeTokens: @escaping MakeTokens) {
        self.limitOwner = limitOwner
        self.makeTokens = makeTokens
    }
}

extension TokenOrigin {
    static func text(_ read: @escaping @Sendable () throws -> String) -> TokenOrigin {
        TokenOrigin(limitOwner: { (try? read()).map { "token \($0)" } }) { _, _, options in
            (FetchedTokens.reading(options.clock) { .value(try read()) }, nil)
        }
    }

    static func command(_ command: TokenCommand) -> TokenOrigin {
        TokenOrigin(limitOwner: { "command \(command.identity)" }) { _, _, options in
            let tokens = FetchedTokens.reading(options.clock) {
                command.run().map(on: nil) { output in
                    let token = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
                    guard !token.isEmpty else { throw NoToken(problem: "\(command) printed nothing") }
                    return token
                }
            }
            return (tokens, nil)
        }
    }

    /// Returns the origin of the tokens of a stored profile. Returns nil if the name is invalid, or if the environment
    /// specifies no location for profiles.
    ///
    /// As in other commands, only one process at a time renews the tokens. The renewal doesn't count toward the
    /// account's limits and doesn't wait for them. The profile is locked during the renewal, and other programs wait
    /// for that lock.
    private static func profile(
        _ name: String, of service: AccountID.Service, _ kind: ExistCredential.Kind, _ environment: [String: String]
    ) -> Self? {
        guard ProfileStore.isName(name), let store = ProfileStore(environment) else { return nil }
        return TokenOrigin(limitOwner: { "profile \(name)" }) { _, address, options in
            do {
                let tokens = try ProfileTokens(of: service, profile: name, in: store, at: address, kind)
                return (try tokens.source(options), nil)
            } catch {
                return (FetchedTokens { _ in Promise(error: error) }, nil)
            }
        }
    }

    /// Returns the origin of tokens that a service account requests for a participant. These requests use the account's
    /// client and count toward its limits. Returns nil if a member of the JSON object is missing, empty, or unknown.
    private static func serviceAccount(_ json: Any?, _ environment: [String: String]) -> Self? {
        guard let members = json as? [String: Any], members.count == 4,
            let key = SigningKey(members["key"], environment)
        else { return nil }
        let texts = ["name", "project", "participant"].compactMap { members[$0] as? String }
        guard texts.count == 3, !texts.contains(where: \.isEmpty) else { return nil }
        // All lines with the same service account share the rate limit of that service account. The responses to
        // requests with the service account's own token report this limit.
        return TokenOrigin(limitOwner: { "service account \(texts[0])" }) { client, _, options in
            let account = ServiceAccount(name: texts[0], client: client()) { try key.signature(of: $0) }
            // The participant's identifier is requested when the first token is needed.
            let found = SharedRenewal<any TokenSource>()
            let tokens = FetchedTokens { rejected in
                found.value(options.clock) { _ in
                    account.participant(texts[2], in: Project.ID(texts[1])).map(on: nil) { account.tokens(for: $0.id) }
                }.then(on: nil) { tokens in rejected.map { tokens.token(replacing: $0) } ?? tokens.token() }
            }
            return (tokens, account)
        }
    }
}
