import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeCoding
import PledgeFiles
import PledgeHTTP

/// The origin of a line's token. The properties are closures, so that neither `print` nor `dump` can show a token.
struct TokenOrigin: Sendable {
    typealias Source =
        @Sendable (
            _ client: () -> MyDataHelpsClient, _ address: URL, _ options: EndpointClient.Options
        ) -> any TokenSource

    /// Returns a text that is the same for all tokens that share a rate limit, such as `profile work`. If the token is
    /// in the line, in a variable, or in a file, the text contains the token itself. Returns nil if there is no token.
    let limitOwner: @Sendable () -> String?
    /// Returns the source of an account's tokens during a run. The source rejects with ``NoToken`` if there is no
    /// token.
    ///
    /// - Parameters:
    ///   - client: Creates the account's client. A service account uses this client to request tokens.
    ///   - address: The base URL of the server that receives the account's requests.
    ///   - options: The options of the client that renews a stored account's token.
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
                return try ProfileTokens(of: service, profile: name, in: store, at: address, kind).source(options)
            } catch {
                return FetchedTokens { _ in Promise(error: error) }
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
    private let find: @Sendable () -> Promise<any TokenSource>
    /// The participant's tokens, once they were found.
    private let found = SingleFlight<any TokenSource>()

    /// - Parameter find: Returns the participant's tokens. It is called when the first token is needed, because it
    ///   requests the participant's identifier.
    init(_ account: ServiceAccount, _ find: @escaping @Sendable () -> Promise<any TokenSource>) {
        self.account = account
        self.find = find
    }

    private var tokens: Promise<any TokenSource> { found.value(.live) { _ in find() } }

    func token() -> Promise<String> { tokens.then(on: nil) { $0.token() } }
    func token(replacing rejected: String) -> Promise<String> {
        tokens.then(on: nil) { $0.token(replacing: rejected) }
    }
}

extension FetchedTokens {
    /// Returns a token source that calls `read` when a token is first needed, and again after the service has rejected
    /// the token. If `read` then returns the rejected token again, the source rejects with ``NoOtherToken``.
    static func reading(_ read: @escaping @Sendable () throws -> Promise<String>) -> FetchedTokens {
        let latest = SingleFlight<String>()
        return FetchedTokens { rejected in
            latest.value(.live, if: { token, _ in token != rejected }) { _ in firstly(execute: read) }
                .get(on: nil) { token in if token == rejected { throw NoOtherToken() } }
        }
    }
}

/// A command that prints a token or a signature. Its arguments and its environment may contain secrets, so they are
/// never printed.
struct TokenCommand: Sendable, CustomStringConvertible {
    private let program: String
    /// The program with its arguments, and the environment. They are in a closure, so that neither `print` nor `dump`
    /// can show them.
    private let invocation: @Sendable () -> (words: [String], environment: [String: String])
    private let seconds: Double

    /// Creates a command that is killed if it takes longer than `seconds`. Returns nil if there is no program, or if a
    /// word contains a null character.
    init?(_ words: [String], _ environment: [String: String], seconds: Double = 30) {
        guard let program = words.first, !program.isEmpty, !words.contains(where: { $0.utf8.contains(0) }) else {
            return nil
        }
        self.program = program
        self.seconds = seconds
        invocation = { (words, environment) }
    }

    var description: String { "the command \(program)" }

    /// A text that is the same for two commands if they have the same program and arguments.
    var identity: String { invocation().words.joined(separator: "\0") }

    /// Runs the command on a thread of its own, and returns its output.
    ///
    /// - Rejects: With ``NoToken``. The error never contains the output.
    func run() -> Promise<Data> {
        let (promise, resolver) = Promise<Data>.pending()
        Thread.detachNewThread {
            let outcome = Result { try output(of: Data()) }
            DispatchQueue.pledge.async { resolver.resolve(outcome) }
        }
        return promise
    }

    /// Runs the command, and returns its output. Blocks the current thread until the command has ended.
    ///
    /// - Parameters:
    ///   - input: The content of the command's standard input.
    ///   - more: The content of `/dev/fd/3`, from which the command can read as well.
    func output(of input: Data, _ more: Data = Data()) throws -> Data {
        func problem(_ text: String) -> NoToken { NoToken(problem: "\(self) \(text)") }
        let (words, environment) = invocation()
        let child: ChildProcess
        do {
            child = try ChildProcess(words, environment, input: [input, more])
        } catch {
            throw problem("cannot be started: \(error)")
        }
        // Also kills the processes that the command has started, and makes sure that the command does not stay as a
        // zombie process.
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

/// The private key of a service account. The program `openssl` makes the signatures, because RSA is not available in
/// Swift on every system.
struct SigningKey: Sendable {
    private let secret: StoredSecret
    private let command: TokenCommand

    /// Creates a key from the object `{"file":"PATH"}` or `{"env":"NAME"}` in a line. Returns nil for anything else.
    init?(_ json: Any?, _ environment: [String: String]) {
        guard let members = json as? [String: Any], members.count == 1, let (form, name) = members.first,
            let secret = StoredSecret("key", form, name, environment),
            // The command reads the key from descriptor 3, because standard input contains the bytes to sign. The
            // padding option makes openssl reject keys that aren't RSA keys. Because of the empty pass phrase, openssl
            // doesn't ask for a pass phrase in the terminal.
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

    /// Signs the bytes with RSA and SHA-256.
    ///
    /// - Throws: ``NoToken``. The error says where the key is stored, but doesn't contain the key.
    func signature(of bytes: Data) throws -> Data {
        // Restores the lines of the key. In environment variables and JSON, line ends are often written as `\n`. In
        // configuration files, the lines are often indented.
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
