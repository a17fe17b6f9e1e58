import Foundation
import Pledge
import Testing

@testable import PledgeCommand

/// Runs `pledge` in a pseudo-terminal, as if for a person.
enum ToolTerminal {
    struct Outcome {
        var status: Int32
        /// What the person sees, from both streams.
        var screen: String
        /// Whether the terminal still shows what is typed.
        var echoes: Bool
    }

    /// Runs the tool in this process, and checks its exit code.
    ///
    /// - Parameters:
    ///   - width: The columns of the terminal.
    ///   - typed: What the person types.
    ///   - prompt: The text that the person waits for before typing.
    ///   - act: An action to perform then.
    @discardableResult
    static func run(
        _ command: some Tool.Command, _ environment: [String: String] = [:], width: Int = 80, typed: String = "",
        after prompt: String = "", then act: (@Sendable () -> Void)? = nil, exits code: Int32 = 0,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        let (controller, terminal) = try open(width: width)
        var context = RunContext(environment: Self.environment(environment))
        context.terminal.signals = TestSignals().source
        let status = ToolRun.start(command.words, context, [terminal, terminal, terminal])
        let (screen, echoes) = await read(controller, typed, prompt, act)
        let outcome = Outcome(status: try await status.value, screen: screen, echoes: echoes)
        #expect(outcome.status == code, "\(screen)", sourceLocation: location)
        return outcome
    }

    /// Runs the built tool, and performs an action with its process after a prompt.
    static func start(
        _ arguments: [String], _ environment: [String: String], after prompt: String,
        then act: @escaping @Sendable (ToolProcess) -> Void
    ) async throws -> Outcome {
        let (controller, descriptor) = try open(width: 80)
        let terminal = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let process = try ToolProcess(
            arguments, Self.environment(environment), from: terminal, output: terminal, errors: terminal)
        // The tool is the last to hold this end, so its exit ends the reading.
        try terminal.close()
        let (screen, echoes) = await read(controller, "", prompt) { act(process) }
        return Outcome(status: await process.end(), screen: screen, echoes: echoes)
    }

    private static func environment(_ given: [String: String]) -> [String: String] {
        given.merging(["TERM": "xterm"]) { given, _ in given }
    }

    /// Reads a terminal until its other end is closed, and closes it.
    private static func read(
        _ controller: Int32, _ typed: String, _ prompt: String, _ act: (@Sendable () -> Void)?
    ) async -> (screen: String, echoes: Bool) {
        await withCheckedContinuation { continuation in
            // Blocking reads, so not on a thread of Swift's pool.
            Thread.detachNewThread {
                var (keys, act) = (Array(typed.utf8), act)
                var screen: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = Foundation.read(controller, &buffer, buffer.count)
                    guard count > 0 else { break }
                    screen += buffer.prefix(count)
                    if !keys.isEmpty || act != nil, String(decoding: screen, as: UTF8.self).contains(prompt) {
                        _ = write(controller, keys, keys.count)
                        act?()
                        (keys, act) = ([], nil)
                    }
                }
                var settings = termios()
                let echoes = tcgetattr(controller, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
                close(controller)
                let text = String(decoding: screen, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
                continuation.resume(returning: (text, echoes))
            }
        }
    }

    /// Opens a new terminal: returns the end of the person, and that of the tool.
    private static func open(width: Int) throws -> (controller: Int32, terminal: Int32) {
        #if os(Linux)
            let controller = Foundation.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            // TIOCSPTLCK and TIOCGPTN, which Swift does not import.
            var (lock, number): (Int32, Int32) = (0, 0)
            guard controller >= 0, ioctl(controller, 0x4004_5431, &lock) == 0,
                ioctl(controller, 0x8004_5430, &number) == 0
            else { throw POSIXError(.ENOTTY) }
            let name = "/dev/pts/\(number)"
        #else
            let controller = posix_openpt(O_RDWR | O_NOCTTY)
            guard controller >= 0, grantpt(controller) == 0, unlockpt(controller) == 0, let name = ptsname(controller)
            else { throw POSIXError(.ENOTTY) }
        #endif
        var size = winsize(ws_row: 50, ws_col: UInt16(width), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(controller, UInt(TIOCSWINSZ), &size)
        return (controller, Foundation.open(name, O_RDWR | O_NOCTTY | O_CLOEXEC))
    }
}
