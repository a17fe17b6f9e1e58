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
        var before = termios()
        let isTerminal = tcgetattr(STDIN_FILENO, &before) == 0
        if isTerminal {
            var silent = before
            silent.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
            // Only now: what is typed on seeing this is not shown.
            tell(ErrorLine("\(name) (it is not shown): ", staysOpen: true))
        }
        let line = readLine()
        if isTerminal {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            tell("")
        }
        let secret = (line ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard !secret.isEmpty else { throw UsageError("\(name): nothing was given on standard input.") }
        return secret
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
