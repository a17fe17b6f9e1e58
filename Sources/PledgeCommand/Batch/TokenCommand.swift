import Foundation
import Pledge
import PledgeCoding

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
        guard bytes.count <= StoredSecret.longest else { throw problem("printed more than any token has") }
        switch child.exit(until: deadline) {
        case nil: throw problem("did not end within \(NumberText.duration(seconds))")
        case .code(0): return Data(bytes)
        case .code(let code): throw problem("ended with exit code \(code)")
        case .signal(let number): throw problem("was ended by signal \(number)")
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
