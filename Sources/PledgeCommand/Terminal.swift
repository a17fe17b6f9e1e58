import Foundation

/// Where the tool writes, and what it knows about the place.
enum Terminal {
    static func write(_ text: String) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
        } catch {
            throw Failure("Standard output cannot be written to: it was closed, or is full.")
        }
    }

    /// Writes a line to standard error; there is nowhere left to complain to.
    static func tell(_ line: ErrorLine) {
        try? FileHandle.standardError.write(contentsOf: Data(line.text.utf8))
    }

    /// Writes these words as a line.
    static func tell(_ words: String) {
        tell(ErrorLine(words))
    }

    /// Whether a person reads the output, rather than a program or a file.
    static var isPerson: Bool { isatty(STDOUT_FILENO) == 1 }

    static func isColorful(_ environment: [String: String]) -> Bool {
        isPerson && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Columns, within what is good to read.
    static var width: Int {
        var size = winsize()
        let known = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return known ? min(max(Int(size.ws_col), 20), 100) : 80
    }

    /// A line of standard input that nobody may see: asked for without an echo in a terminal, just read from a pipe.
    static func readSecret(_ name: String) throws -> String {
        let line = withoutEcho(asking: "\(name) (it is not shown): ") { readLine() }
        let secret = (line ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard !secret.isEmpty else { throw UsageError("\(name): nothing was given on standard input.") }
        return secret
    }

    private static func withoutEcho<Result>(asking prompt: String, _ body: () -> Result) -> Result {
        var silent = termios()
        guard tcgetattr(STDIN_FILENO, &silent) == 0 else { return body() }
        let endSilence: @Sendable () -> Void = { [before = silent] in
            withUnsafePointer(to: before) { _ = tcsetattr(STDIN_FILENO, TCSAFLUSH, $0) }
            tell("")
        }
        // The terminal outlives the tool, and would go on showing nothing.
        let interrupts = Interrupts { _ in
            endSilence()
            _exit(130)
        }
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer { withExtendedLifetime(interrupts, endSilence) }
        // Only now: what is typed on seeing this is not shown.
        tell(ErrorLine(prompt, staysOpen: true))
        return body()
    }
}

/// A line for standard error, and the one way to write there.
///
/// It may hold the words of a service, an account's name or a file's: whatever steers a terminal is taken out of them
/// here, so that nobody who prints something has to think of it.
struct ErrorLine: Equatable {
    let text: String

    /// - Parameters:
    ///   - words: what to say; breaks between lines become spaces.
    ///   - overwriting: whether it takes the place of the line the cursor is in.
    ///   - staysOpen: whether the next line may do so with this one.
    init(_ words: String, overwriting: Bool = false, staysOpen: Bool = false) {
        text = (overwriting ? "\r\u{1B}[K" : "") + words.withoutControls + (staysOpen ? "" : "\n")
    }
}
