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
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        // A pager that has this end, too, would never see the end of its input.
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
            var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
        #else
            var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, terminal.output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, terminal.errors, STDERR_FILENO)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // This tool ignores it, which the pager would inherit.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        // As in git: less quits if the text fits the screen, shows colors, and leaves the text on the screen.
        let variables = CStrings(
            ["LESS": "FRX", "LV": "-c"].merging(terminal.environment) { $1 }.map { "\($0)=\($1)" })
        let words = CStrings(["/bin/sh", "-c", command])
        defer { withExtendedLifetime((variables, words)) {} }
        var child: pid_t = 0
        // Not Foundation's Process, which gives its child another process group, which may not read the terminal.
        let failure = posix_spawn(&child, "/bin/sh", &actions, &attributes, words.pointers, variables.pointers)
        close(ends[0])
        guard failure == 0 else {
            close(ends[1])
            return nil
        }
        (process, input) = (child, FileHandle(fileDescriptor: ends[1], closeOnDealloc: true))
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
