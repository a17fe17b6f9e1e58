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

    static func writeError(_ text: String) {
        // There is nowhere left to complain to.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    static func isColorful(_ environment: [String: String]) -> Bool {
        isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Columns, within what is good to read.
    static var width: Int {
        var size = winsize()
        let known = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return known ? min(max(Int(size.ws_col), 40), 100) : 80
    }
}
