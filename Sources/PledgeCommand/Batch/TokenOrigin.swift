import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeCoding
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
    let limitOwner: @Sendable () -> String?
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

    private init(limitOwner: @escaping @Sendable () -> String?, source: @escaping Source) {
        self.limitOwner = limitOwner
        self.source = source
    }
}

extension TokenOrigin {
    static func text(_ read: @escaping @Sendable () throws -> String) -> TokenOrigin {
        TokenOrigin(limitOwner: { (try? read()).map { "token \($0)" } }) { _, _, _ in
            FetchedTokens.reading { .value(try read()) }
        }
    }

    static func command(_ command: TokenCommand) -> TokenOrigin {
        TokenOrigin(limitOwner: { "command \(command.identity)" }) { _, _, _ in
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
        return TokenOrigin(limitOwner: { "profile \(name)" }) { _, address, options in
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
        return TokenOrigin(limitOwner: { "service account \(texts[0])" }) { client, _, _ in
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

/// A command that prints a token or a signature. Its words and environment may contain secrets, and are never printed.
struct TokenCommand: Sendable, CustomStringConvertible {
    private let program: String
    /// The words and the environment. They are in a closure, so that neither `print` nor `dump` finds them.
    private let invocation: @Sendable () -> (words: [String], environment: [String: String])
    private let seconds: Double

    /// Creates a command that is killed after `seconds`; nil without a program, or if a word contains a null character.
    init?(_ words: [String], _ environment: [String: String], seconds: Double = 30) {
        guard let program = words.first, !program.isEmpty, !words.contains(where: { $0.utf8.contains(0) }) else {
            return nil
        }
        self.program = program
        self.seconds = seconds
        invocation = { (words, environment) }
    }

    var description: String { "the command \(program)" }

    /// A text that is the same for two commands with the same words.
    var identity: String { invocation().words.joined(separator: "\0") }

    /// Runs the command on a thread of its own, and returns its output.
    ///
    /// - Rejects: With ``NoToken``, which never contains the output.
    func run() -> Promise<Data> {
        let (promise, resolver) = Promise<Data>.pending()
        Thread.detachNewThread {
            let outcome = Result { try output(of: Data()) }
            DispatchQueue.pledge.async { resolver.resolve(outcome) }
        }
        return promise
    }

    /// Runs the command, blocking the current thread; `more` is what it can read from `/dev/fd/3`.
    func output(of input: Data, _ more: Data = Data()) throws -> Data {
        func problem(_ text: String) -> NoToken { NoToken(problem: "\(self) \(text)") }
        let (words, environment) = invocation()
        let child: ChildProcess
        do {
            child = try ChildProcess(words, environment, input: [input, more])
        } catch {
            throw problem("cannot be started: \(error)")
        }
        // Kills the command's children as well. The command does not become a zombie.
        defer { child.end() }
        let deadline = DispatchTime.now() + seconds
        guard let bytes = child.read(atMost: StoredSecret.longest + 1, until: deadline) else {
            throw problem("printed no token within \(NumberText.duration(seconds))")
        }
        guard bytes.count <= StoredSecret.longest else { throw problem("printed a text that is longer than any token") }
        switch child.exit(until: deadline) {
        case nil: throw problem("did not end within \(NumberText.duration(seconds))")
        case .code(0): return Data(bytes)
        case .code(let code): throw problem("ended with exit code \(code)")
        case .signal(let number): throw problem("was terminated by signal \(number)")
        }
    }
}

/// The private key of a service account. `openssl` signs, because RSA is not available in Swift on every system.
struct SigningKey: Sendable {
    private let secret: StoredSecret
    private let command: TokenCommand

    /// Creates a key from a line's `{"file":"PATH"}` or `{"env":"NAME"}`; nil for anything else.
    init?(_ json: Any?, _ environment: [String: String]) {
        guard let members = json as? [String: Any], members.count == 1, let (form, name) = members.first,
            let secret = StoredSecret("key", form, name, environment),
            // The command reads the key as descriptor 3, because standard input has the bytes to sign. The padding
            // option makes openssl reject keys that are not RSA keys. The empty pass phrase prevents a prompt in the
            // terminal.
            let command = TokenCommand(
                [
                    "openssl", "dgst", "-sha256", "-sigopt", "rsa_padding_mode:pkcs1", "-passin", "pass:", "-sign",
                    "/dev/fd/3",
                ],
                environment)
        else { return nil }
        self.secret = secret
        self.command = command
    }

    /// Signs with RSA and SHA-256. Throws ``NoToken``, which says where the key is stored, but not what it is.
    func signature(of bytes: Data) throws -> Data {
        // In variables and JSON, line ends are often written as `\n`, and configuration files indent the lines.
        let lines = try secret.text().replacingOccurrences(of: "\\n", with: "\n").split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t\"'")) + "\n" }
        do {
            return try command.output(of: bytes, Data(lines.joined().utf8))
        } catch let error as NoToken where error.problem.contains("exit code") {
            throw NoToken(
                problem:
                    "\(secret) cannot sign: openssl needs a whole RSA private key in PEM format without a pass phrase")
        }
    }
}
