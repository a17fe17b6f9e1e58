import Foundation

/// The pager for text on a terminal, as in git: `PLEDGE_PAGER`, `PAGER`, or `less`.
final class Pager: Sendable {
    /// The user has quit the pager before reading all of the text.
    struct Quit: Error {}

    private let process: pid_t
    private let input: FileHandle

    /// Returns the pager's command line, if any.
    static func command(_ environment: [String: String]) -> String? {
        let words = environment["PLEDGE_PAGER"] ?? environment["PAGER"] ?? "less"
        guard environment["TERM"] != "dumb", let program = words.split(separator: " ").first, words != "cat" else {
            return nil
        }
        // Without the program, the shell would discard the text.
        let folders =
            program.contains("/") ? [""] : environment["PATH", default: ""].split(separator: ":").map { "\($0)/" }
        return folders.contains { FileManager.default.isExecutableFile(atPath: $0 + program) } ? words : nil
    }

    /// Starts a pager; nil if the environment wants none or it cannot be started.
    init?(_ terminal: Terminal) {
        guard let command = Self.command(terminal.environment) else { return nil }
        // A pager that inherits the write end would never see the end of its input.
        guard let ends = try? ChildProcess.makePipe() else { return nil }
        defer { close(ends.read) }
        // As in git: less quits if the text fits the screen, shows colors, and leaves the text on the screen. Another
        // process group could not read the terminal. SIGPIPE, which this tool ignores, is reset.
        let child = try? ChildProcess.spawn(
            ["/bin/sh", "-c", command], ["LESS": "FRX", "LV": "-c"].merging(terminal.environment) { $1 },
            streams: [ends.read, terminal.output, terminal.errors], resetting: [SIGPIPE], isApart: false)
        guard let child else {
            close(ends.write)
            return nil
        }
        (process, input) = (child, FileHandle(fileDescriptor: ends.write, closeOnDealloc: true))
        // An interrupt belongs to the pager, which this tool always outlives.
        terminal.signals.ignoreInterrupts()
    }

    func write(_ text: String) throws(Quit) {
        do { try input.write(contentsOf: Data(text.utf8)) } catch { throw Quit() }
    }

    func end() {
        try? input.close()
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
