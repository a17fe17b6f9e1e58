import Foundation

/// The standard streams, and properties of the terminal.
enum Terminal {
    static func write(_ text: String) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
        } catch {
            throw Failure("Standard output cannot be written: it is closed or full.")
        }
    }

    /// Writes a line to standard error, ignoring failures, which could not be reported anywhere.
    static func tell(_ line: ErrorLine) {
        try? FileHandle.standardError.write(contentsOf: Data(line.text.utf8))
    }

    /// Writes these words as a line.
    static func tell(_ words: String) {
        tell(ErrorLine(words))
    }

    /// Whether the output goes to a terminal rather than to a program or a file.
    static var isPerson: Bool { isatty(STDOUT_FILENO) == 1 }

    static func isColorful(_ environment: [String: String]) -> Bool {
        isPerson && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// The number of columns, within a readable range.
    static var width: Int {
        var size = winsize()
        let known = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return known ? min(max(Int(size.ws_col), 20), 100) : 80
    }

    /// Asks a question, to which only “y” or “yes” is a yes; nil if there is no one to ask.
    static func confirm(_ question: String) -> Bool? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        tell(ErrorLine("\(question) [y/N] ", staysOpen: true))
        return ["y", "yes"].contains(readLine()?.lowercased())
    }

    /// Reads a secret line from standard input: with a prompt and without echo in a terminal, or from a pipe.
    static func readSecret(_ name: String) throws -> String {
        let line = withoutEcho(asking: "\(name) (not displayed): ") { readLine() }
        let secret = (line ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard !secret.isEmpty else { throw UsageError("\(name): standard input is empty.") }
        return secret
    }

    private static func withoutEcho<Result>(asking prompt: String, _ body: () -> Result) -> Result {
        var silent = termios()
        guard tcgetattr(STDIN_FILENO, &silent) == 0 else { return body() }
        let endSilence: @Sendable () -> Void = { [before = silent] in
            withUnsafePointer(to: before) { _ = tcsetattr(STDIN_FILENO, TCSAFLUSH, $0) }
            tell("")
        }
        // The terminal outlives the tool, and would stay without echo.
        let interrupts = Interrupts {
            endSilence()
            _exit(130)
        }
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer { withExtendedLifetime(interrupts, endSilence) }
        // Only now, so that what is typed in response is not shown.
        tell(ErrorLine(prompt, staysOpen: true))
        return body()
    }
}

/// A line for standard error, and the only way to write there.
///
/// It may contain text of a service or the name of an account or a file: control characters are removed here, so that
/// no caller has to remember it.
struct ErrorLine: Equatable {
    let text: String

    /// - Parameters:
    ///   - words: The text; line breaks become spaces.
    ///   - overwriting: Whether the line replaces the one the cursor is in.
    ///   - staysOpen: Whether the next line may replace this one.
    init(_ words: String, overwriting: Bool = false, staysOpen: Bool = false) {
        text = (overwriting ? "\r\u{1B}[K" : "") + words.withoutControls + (staysOpen ? "" : "\n")
    }
}
