import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// A command that prints a token or a signature. Its arguments and its environment may contain secrets, so they are
/// never printed.
struct TokenCommand: Sendable, Redacted {
    /// The program and its arguments.
    private let words: [String]
    private let environment: [String: String]
    private let seconds: Double

    /// Creates a command that is killed if it takes longer than `seconds`. Returns nil if there is no program, or if a
    /// word contains a null character.
    init?(_ words: [String], _ environment: [String: String], seconds: Double = 30) {
        guard words.first?.isEmpty == false, !words.contains(where: { $0.utf8.contains(0) }) else { return nil }
        self.words = words
        self.environment = environment
        self.seconds = seconds
    }

    var description: String { "the command \(words[0])" }

    /// A text that is the same for two commands if they have the same program and arguments.
    var identity: String { words.joined(separator: "\0") }

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
