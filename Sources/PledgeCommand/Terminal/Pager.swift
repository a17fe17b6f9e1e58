import Foundation

/// The pager that text for people goes through on a terminal, as in git: `PLEDGE_PAGER`, `PAGER`, or `less`.
final class Pager: Sendable {
    /// The reason that text was not written: the user has quit the pager, and wants no more of it.
    struct Quit: Error {}

    private let process: pid_t
    private let input: FileHandle

    /// Returns the pager's command line; nil for none.
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

    /// Starts a pager. Returns nil if the environment wants none, or if it cannot be started.
    init?(_ terminal: Terminal) {
        guard let command = Self.command(terminal.environment) else { return nil }
        // A pager that has the other end, too, would never see the end of its input.
        guard let ends = try? ChildProcess.makePipe() else { return nil }
        defer { close(ends.read) }
        // As in git: less quits if the text fits the screen, shows colors, and leaves the text on the screen. Not apart,
        // since another process group may not read the terminal; but this tool ignores SIGPIPE, which it would inherit.
        let child = try? ChildProcess.spawn(
            ["/bin/sh", "-c", command], ["LESS": "FRX", "LV": "-c"].merging(terminal.environment) { $1 },
            streams: [ends.read, terminal.output, terminal.errors], resetting: [SIGPIPE], isApart: false)
        guard let child else {
            close(ends.write)
            return nil
        }
        (process, input) = (child, FileHandle(fileDescriptor: ends.write, closeOnDealloc: true))
        // An interrupt is the pager's, which outlives none of this tool.
        terminal.signals.ignoreInterrupts()
    }

    func write(_ text: String) throws(Quit) {
        do { try input.write(contentsOf: Data(text.utf8)) } catch { throw Quit() }
    }

    /// Waits until the user has quit.
    func end() {
        try? input.close()
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
