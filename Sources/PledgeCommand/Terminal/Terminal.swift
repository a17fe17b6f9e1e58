import Foundation
import Pledge
import PledgeCoding
import PledgeFiles

struct Terminal: Sendable {
    var environment: [String: String]
    var input = STDIN_FILENO
    var output = STDOUT_FILENO
    var errors = STDERR_FILENO
    var signals = Signals.process

    /// The error of writing to a pipe whose reader has closed it.
    struct ClosedPipe: Error {}

    func write(_ text: String) throws {
        do {
            try SystemFile(output, named: "standard output", closes: false).writeAll(Array(text.utf8))
        } catch let error as FileError where error.code == EPIPE {
            throw ClosedPipe()
        }
    }

    /// Writes text for people to standard output. If the terminal shows only ASCII, the text is converted.
    func show(_ text: String) throws { try write(isASCII ? text.inASCII : text) }

    /// Writes a line to standard error. If that fails, the failure is ignored, because there is nowhere to report it.
    func notify(_ line: ErrorLine) {
        let text = isASCII && !line.isData ? line.text.inASCII : line.text
        try? SystemFile(errors, named: "standard error", closes: false).writeAll(Array(text.utf8))
    }

    /// Writes text to standard error, wrapped to the width of the terminal. If standard error isn't a terminal, the
    /// text is wrapped to 80 columns.
    ///
    /// - Parameter isError: Whether the text is the command's final error. In a log, it stays on one line.
    func notify(_ text: String, isError: Bool = false) {
        let width = errorWidth ?? (isError ? nil : 80)
        notify(ErrorLine(isASCII ? text.inASCII : text, width: width))
    }

    var errorsAreTerminal: Bool { isatty(errors) == 1 }

    /// The width of the terminal that standard error goes to, or nil if it doesn't go to a terminal.
    var errorWidth: Int? { Self.columns(of: errors) }

    /// Whether the terminal shows only ASCII. That is the case for `TERM=dumb`, and for a locale whose character set
    /// isn't UTF-8. If no locale is set, as in many containers, UTF-8 is assumed.
    var isASCII: Bool {
        if environment["TERM"] == "dumb" { return true }
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        guard let locale else { return false }
        // A modifier may follow the character set, as in `de_DE.UTF-8@euro`.
        let set = locale.prefix { $0 != "@" }.split(separator: ".").dropFirst().first?.lowercased()
        return set.map { !$0.hasPrefix("utf") } ?? ["C", "POSIX"].contains(locale)
    }

    var outputIsTerminal: Bool { isatty(output) == 1 }

    var isColorful: Bool {
        outputIsTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// The width of text on standard output. In a terminal, it is the terminal's width, but at most 120 columns, so
    /// that lines stay readable. Elsewhere, it is the value of `COLUMNS`, or 80.
    var width: Int {
        if let columns = Self.columns(of: output) { return min(columns, 120) }
        return environment["COLUMNS"].flatMap { Int($0) }.flatMap { 20...1000 ~= $0 ? $0 : nil } ?? 80
    }

    /// Returns the width of a terminal, but at least 20. Returns nil for a pipe or a file.
    private static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return max(Int(size.ws_col), 20)
    }

    /// Asks a question, and returns whether the answer is “y” or “yes”. Returns nil without asking if nobody is at the
    /// terminal.
    func confirm(_ question: String) -> Bool? {
        guard isatty(input) == 1, errorsAreTerminal else { return nil }
        notify(ErrorLine("\(question) [y/N] ", staysOpen: true))
        return ["y", "yes"].contains(readLine().lowercased())
    }

    /// Reads a line from standard input. In a terminal, shows a prompt, and hides what the user types unless `isShown`
    /// is true.
    ///
    /// - Parameter origin: A sentence that tells the user where to find the requested text.
    func ask(_ name: String, foundAt origin: String? = nil, isShown: Bool = false) throws -> String {
        if isatty(input) == 1, let origin { notify(origin) }
        if isatty(input) == 1, isShown { notify(ErrorLine("\(name): ", staysOpen: true)) }
        let line = isShown ? readLine() : withoutEcho(asking: "\(name) (not displayed): ") { readLine() }
        let secret = line.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !secret.isEmpty else { throw UsageError("\(name): standard input is empty.") }
        return secret
    }

    /// Reads one line, and returns it without its line break. At the end of the input, returns an empty text.
    ///
    /// The line is read byte by byte, so that the rest of the input is left for the next reader.
    private func readLine() -> String {
        var line = [UInt8]()
        var byte = UInt8(0)
        while true {
            guard retryingOnInterrupt({ read(input, &byte, 1) }) == 1, byte != UInt8(ascii: "\n") else {
                return String(decoding: line, as: UTF8.self)
            }
            line.append(byte)
        }
    }

    private func withoutEcho<Result>(asking prompt: String, _ body: () -> Result) -> Result {
        var silent = termios()
        guard tcgetattr(input, &silent) == 0 else { return body() }
        let restoreEcho: @Sendable () -> Void = { [before = silent] in
            withUnsafePointer(to: before) { _ = tcsetattr(input, TCSAFLUSH, $0) }
            notify("")
        }
        // If the user interrupts the command, the echo is switched on again, because the terminal is still used after
        // this tool ends.
        let interrupts = Interrupts(signals) {
            restoreEcho()
            _exit(ExitCode.interrupted.rawValue)
        }
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(input, TCSAFLUSH, &silent)
        defer {
            restoreEcho()
            interrupts.end()
        }
        // The prompt is printed after the echo is off, so that nothing typed in answer to it can be displayed.
        notify(ErrorLine(prompt, staysOpen: true))
        return body()
    }
}

/// A line for standard error. This tool writes only values of this type to standard error. Control characters are
/// removed from the line, because it may contain text from a service, or the name of an account or a file.
struct ErrorLine: Equatable {
    let text: String
    let isData: Bool

    /// - Parameters:
    ///   - text: The text. Its line breaks become spaces.
    ///   - overwriting: Whether the line overwrites the terminal's current line.
    ///   - staysOpen: Whether to omit the line break at the end, so that the user can answer on the same line, or the
    ///     next line can overwrite this one.
    ///   - width: The width to which the text is wrapped, or nil to keep it on one line.
    ///   - isData: Whether programs read the line. If so, it isn't converted to ASCII.
    init(
        _ text: String, overwriting: Bool = false, staysOpen: Bool = false, width: Int? = nil, isData: Bool = false
    ) {
        self.isData = isData
        let safe = text.withoutControls
        let lines = width.map { safe.wrapped(to: $0, splittingWords: false).joined(separator: "\n") }
        self.text = (overwriting ? "\r\u{1B}[K" : "") + (lines ?? safe) + (staysOpen ? "" : "\n")
    }
}

/// A line of output for a terminal. It consists of pieces of text in different styles.
///
/// Control characters are removed from the text. So the output contains no escape sequences except those of the styles.
struct StyledLine {
    enum Style {
        case plain, heading, faint, chart, warning

        fileprivate var code: String? {
            switch self {
            case .plain: nil
            case .heading: "1"
            case .faint: "2"
            case .chart: "36"
            case .warning: "33"
            }
        }
    }

    private var pieces: [(text: String, style: Style)] = []

    init() {}

    init(_ text: String, as style: Style = .plain) {
        append(text, as: style)
    }

    mutating func append(_ text: String, as style: Style = .plain) {
        guard !text.isEmpty else { return }
        pieces.append((text.withoutControls, style))
    }

    /// Returns the line as text, without trailing spaces.
    func rendered(color: Bool) -> String {
        var shown = pieces
        while let last = shown.popLast() {
            guard let end = last.text.lastIndex(where: { $0 != " " }) else { continue }
            shown.append((String(last.text[...end]), last.style))
            break
        }
        return shown.map { piece in
            let code = color ? piece.style.code : nil
            return code.map { "\u{1B}[\($0)m\(piece.text)\u{1B}[0m" } ?? piece.text
        }.joined()
    }

    /// Returns the text wrapped to lines of `width` columns. Each line begins with `margin`, which is included in the
    /// width.
    static func wrapping(_ text: String, to width: Int, after margin: String = "", as style: Style = .plain) -> [Self] {
        text.wrapped(to: width - margin.count).map { StyledLine(margin + $0, as: style) }
    }
}
