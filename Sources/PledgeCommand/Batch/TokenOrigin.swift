import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeFiles
import PledgeHTTP

/// Where a line's token comes from. It consists of closures, so that neither `print` nor `dump` finds a token.
struct TokenOrigin: Sendable {
    typealias Source =
        @Sendable (
            _ client: () -> MyDataHelpsClient, _ address: URL, _ options: EndpointClient.Options
        ) -> any TokenSource

    /// Returns a text that identifies the owner of the rate limit. If the token itself is known, it is the text.
    /// Returns nil if there is no token.
    let owner: @Sendable () -> String?
    /// Returns the source of an account's tokens during a run. The source rejects with ``NoToken`` if there is no
    /// token.
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
        self.owner = owner
        self.source = source
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

    /// Returns the tokens of a stored profile. As in other commands, only one process at a time renews them. Returns
    /// nil if the name is invalid or the environment specifies no location for profiles.
    ///
    /// Renewing does not count toward the account's limits and does not wait for them, because the profile is locked
    /// meanwhile, and other programs wait for that lock.
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

    /// Returns the tokens that a service account issues for a participant. The requests for them use the account's
    /// client and limits. Returns nil if a member is missing, empty, or unknown.
    private static func serviceAccount(_ json: Any?, _ environment: [String: String]) -> Self? {
        guard let members = json as? [String: Any], members.count == 4,
            let key = SigningKey(members["key"], environment)
        else { return nil }
        let texts = ["name", "project", "participant"].compactMap { members[$0] as? String }
        guard texts.count == 3, !texts.contains(where: \.isEmpty) else { return nil }
        // All lines with the same service account share its rate limit. The responses to its own token report that
        // limit.
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
        self.account = account
        self.tokens = FetchedTokens.deferred(tokens)
    }

    func token() -> Promise<String> { tokens.token() }
    func token(replacing rejected: String) -> Promise<String> { tokens.token(replacing: rejected) }
}

/// Tokens in files, which is how containers get secrets: `EXIST_TOKEN_FILE` and `MYDATAHELPS_TOKEN_FILE`.
enum TokenFiles {
    /// Returns the environment. If these files are specified, the variables for tokens have the files' content.
    ///
    /// - Throws: `UsageError` if a file has no token, or if its variable is set as well.
    static func read(_ environment: [String: String]) throws(UsageError) -> [String: String] {
        var environment = environment
        for service in Access.Service.allCases {
            let name = service.tokenName
            let file = "\(service.tokenName)_FILE"
            guard let path = environment[file], !path.isEmpty else { continue }
            guard environment[name] == nil else {
                throw UsageError("\(name) and \(file) are both set: unset one of them.")
            }
            do throws(NoToken) {
                environment[name] = try StoredSecret("token", inFile: path).text()
            } catch {
                throw UsageError("\(file) is set, but \(error.problem).")
            }
        }
        return environment
    }

    /// Returns a warning for each variable that looks like the misspelled name of a service's variable.
    static func misspelled(_ environment: [String: String]) -> [String] {
        let known =
            Access.Service.allCases.flatMap { [$0.tokenName, "\($0.tokenName)_FILE", $0.addressName] }
            + [Settings.tokenKind.name, LoginCommand.clientIDName, BrowserSignIn.secretName]
        return environment.keys.filter { name in
            !known.contains(name) && ["EXIST_", "MYDATAHELPS_"].contains { name.hasPrefix($0) }
        }.sorted().compactMap { name in
            let near = Nearest.hint(to: name, among: known)
            return near.isEmpty ? nil : "\(name) has no meaning here.\(near)"
        }
    }
}

/// A token or a key in a file or in an environment variable.
struct StoredSecret: Sendable, CustomStringConvertible {
    /// A description, such as `the key's file /secrets/study.pem`.
    let description: String
    /// Reads the secret. It is a closure, so that neither `print` nor `dump` finds the secret.
    private let read: @Sendable () throws(NoToken) -> String

    /// The maximum size of a token or a key, in bytes.
    static let longest = 16_384

    /// Creates a secret from a line's `{"file":"PATH"}` or `{"env":"NAME"}`; nil for anything else.
    ///
    /// - Parameter kind: `token` or `key`.
    init?(_ kind: String, _ form: String, _ name: Any, _ environment: [String: String]) {
        guard let name = name as? String, !name.isEmpty else { return nil }
        switch form {
        case "file": self.init(kind, inFile: name)
        case "env":
            let description = "the \(kind) in the environment variable \(name)"
            self.init(description) { @Sendable () throws(NoToken) in
                guard let text = environment[name] else { throw NoToken(problem: "\(description) is not set") }
                return text
            }
        default: return nil
        }
    }

    init(_ kind: String, inFile path: String) {
        let description = "the \(kind)'s file \(path)"
        self.init(description) { @Sendable () throws(NoToken) in
            let file = SystemFile(reading: path)
            do throws(FileError) {
                try file?.refuseOtherWriters()
            } catch {
                throw NoToken(problem: String("\(error)".dropLast()))
            }
            guard let file, file.isRegular, let bytes = try? file.read(Self.longest + 1, at: 0) else {
                throw NoToken(problem: "\(description) cannot be read")
            }
            guard bytes.count <= Self.longest else {
                throw NoToken(problem: "\(description) is longer than any \(kind)")
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private init(_ description: String, _ read: @escaping @Sendable () throws(NoToken) -> String) {
        self.description = description
        self.read = read
    }

    /// Returns the text without surrounding white space. Throws an error that says where the secret is stored, but not
    /// what it is.
    func text() throws(NoToken) -> String {
        let text = try read().trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { throw NoToken(problem: "\(self) is empty") }
        return text
    }
}

extension FetchedTokens {
    /// Returns a source of a token that is read when it is first needed, and again after the service has rejected it.
    /// The source rejects with ``NoOtherToken`` if there is no newer token.
    static func reading(_ read: @escaping @Sendable () throws -> Promise<String>) -> FetchedTokens {
        let cache = TokenCache<String>()
        return FetchedTokens { rejected in
            cache.token(.live, if: { token, _ in token != rejected }) { _ in firstly(execute: read) }
                .get(on: nil) { token in if token == rejected { throw NoOtherToken() } }
        }
    }

    /// Returns the tokens of a source that must be found first. `find` is called when the first token is needed.
    static func deferred(_ find: @escaping @Sendable () throws -> Promise<any TokenSource>) -> FetchedTokens {
        let found = TokenCache<any TokenSource>()
        return FetchedTokens(isFromStore: { (found.latest as? any StoredTokens)?.isFromStore($0) ?? false }) {
            rejected in
            found.token(.live) { _ in firstly(execute: find) }
                .then(on: nil) { source in rejected.map(source.token(replacing:)) ?? source.token() }
        }
    }
}
