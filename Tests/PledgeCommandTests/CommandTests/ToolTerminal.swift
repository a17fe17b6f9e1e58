import Foundation

/// Runs the built `pledge` in a pseudo-terminal, as if for a person.
enum ToolTerminal {
    struct Outcome {
        var status: Int32
        /// What the person sees, from both streams.
        var screen: String
        /// Whether the terminal still shows what is typed.
        var echoes: Bool
    }

    /// - Parameters:
    ///   - width: The columns of the terminal.
    ///   - typed: What the person types.
    ///   - prompt: The text that the person waits for before typing.
    ///   - act: An action to perform then, with the tool's process.
    static func run(
        _ arguments: [String], _ environment: [String: String] = [:], width: Int = 80, typed: String = "",
        after prompt: String = "", then act: (@Sendable (pid_t) -> Void)? = nil
    ) async throws -> Outcome {
        let (controller, name) = try open()
        var size = winsize(ws_row: 50, ws_col: UInt16(width), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(controller, UInt(TIOCSWINSZ), &size)
        let terminal = FileHandle(
            fileDescriptor: Foundation.open(name, O_RDWR | O_NOCTTY | O_CLOEXEC), closeOnDealloc: true)
        let process = Process()
        process.executableURL = Tool.executable
        process.arguments = Tool.patient(arguments)
        process.environment = Tool.environment(environment.merging(["TERM": "xterm"]) { given, _ in given })
        process.standardInput = terminal
        process.standardOutput = terminal
        process.standardError = terminal
        let keys = Array(typed.utf8)
        return try await withCheckedThrowingContinuation { continuation in
            // Blocking reads, so not on a thread of Swift's pool.
            DispatchQueue.global().async { [keys] in
                var (keys, act) = (keys, act)
                do {
                    try process.run()
                    // The tool is the last to hold the other end, so its exit ends the reading.
                    try terminal.close()
                    var screen: [UInt8] = []
                    var buffer = [UInt8](repeating: 0, count: 4096)
                    while true {
                        let count = read(controller, &buffer, buffer.count)
                        guard count > 0 else { break }
                        screen += buffer.prefix(count)
                        if !keys.isEmpty || act != nil, String(decoding: screen, as: UTF8.self).contains(prompt) {
                            _ = write(controller, keys, keys.count)
                            act?(process.processIdentifier)
                            (keys, act) = ([], nil)
                        }
                    }
                    process.waitUntilExit()
                    var settings = termios()
                    let echoes = tcgetattr(controller, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
                    close(controller)
                    let text = String(decoding: screen, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
                    continuation.resume(
                        returning: Outcome(status: process.terminationStatus, screen: text, echoes: echoes))
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    /// Opens a new terminal: returns our end, and the name of the other.
    private static func open() throws -> (controller: Int32, name: String) {
        #if os(Linux)
            let controller = Foundation.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            // TIOCSPTLCK and TIOCGPTN, which Swift does not import.
            var (lock, number): (Int32, Int32) = (0, 0)
            guard controller >= 0, ioctl(controller, 0x4004_5431, &lock) == 0,
                ioctl(controller, 0x8004_5430, &number) == 0
            else { throw POSIXError(.ENOTTY) }
            return (controller, "/dev/pts/\(number)")
        #else
            let controller = posix_openpt(O_RDWR | O_NOCTTY)
            guard controller >= 0, grantpt(controller) == 0, unlockpt(controller) == 0, let name = ptsname(controller)
            else { throw POSIXError(.ENOTTY) }
            return (controller, String(cString: name))
        #endif
    }
}
