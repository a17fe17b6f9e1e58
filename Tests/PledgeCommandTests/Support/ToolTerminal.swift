import Foundation
import Pledge
import Testing

@testable import PledgeCommand

/// Runs `pledge` in a pseudo-terminal, as a person would.
enum ToolTerminal {
    struct Outcome {
        var status: Int32
        /// What the person sees: standard output and standard error together.
        var screen: String
        /// Whether the terminal shows typed text after the run.
        var echoes: Bool
    }

    /// Runs the tool in this process, and checks its exit code.
    ///
    /// - Parameters:
    ///   - width: The columns of the terminal.
    ///   - typed: What the person types.
    ///   - prompt: The text that the person waits for before typing.
    @discardableResult
    static func run(
        _ command: some Tool.Command, _ environment: [String: String] = [:], width: Int = 80, typed: String = "",
        after prompt: String = "", exits code: Int32 = 0, at location: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        let outcome = try await show(width, typed, prompt, then: { (_: ToolRun) in }) { terminal in
            try ToolRun(
                command.words, ["TERM": "xterm"].adding(environment), from: terminal, output: terminal, errors: terminal
            )
        }
        #expect(outcome.status == code, "\(outcome.screen)", sourceLocation: location)
        return outcome
    }

    /// Runs the built tool, and performs an action with its process after a prompt.
    static func start(
        _ arguments: [String], _ environment: [String: String], after prompt: String,
        then act: @escaping @Sendable (ToolProcess) -> Void
    ) async throws -> Outcome {
        try await show(80, "", prompt, then: act) { terminal in
            try ToolProcess(
                arguments, ["TERM": "xterm"].adding(environment), from: terminal, output: terminal, errors: terminal)
        }
    }

    private static func show<Run: RunningTool & Sendable>(
        _ width: Int, _ typed: String, _ prompt: String, then act: @escaping @Sendable (Run) -> Void,
        _ start: (FileHandle) throws -> Run
    ) async throws -> Outcome {
        let (controller, descriptor) = try open(width: width)
        let terminal = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let run = try start(terminal)
        // Now only the tool has this end of the terminal open, so the reading ends when the tool exits.
        try terminal.close()
        let (screen, echoes) = await read(controller, typed, prompt) { act(run) }
        return Outcome(status: await run.end(), screen: screen, echoes: echoes)
    }

    /// Reads from the person's end of a terminal until the tool's end is closed, and then closes the person's end. When
    /// the prompt appears, this function types the text and calls `act`.
    private static func read(
        _ controller: Int32, _ typed: String, _ prompt: String, _ act: @escaping @Sendable () -> Void
    ) async -> (screen: String, echoes: Bool) {
        await withCheckedContinuation { continuation in
            // The reads block, so they must not run on a thread of Swift's pool.
            Thread.detachNewThread {
                var keys: [UInt8]? = Array(typed.utf8)
                var screen: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = Foundation.read(controller, &buffer, buffer.count)
                    guard count > 0 else { break }
                    screen += buffer.prefix(count)
                    if let typed = keys, String(decoding: screen, as: UTF8.self).contains(prompt) {
                        keys = nil
                        _ = write(controller, typed, typed.count)
                        act()
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

    /// Opens a new terminal, and returns the person's end and the tool's end.
    static func open(width: Int) throws -> (controller: Int32, terminal: Int32) {
        #if os(Linux)
            let controller = Foundation.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            // The numbers are those of TIOCSPTLCK and TIOCGPTN, which Swift doesn't import.
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
