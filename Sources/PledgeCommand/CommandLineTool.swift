import Foundation

/// `pledge`: picks the command, and turns whatever goes wrong into one line and an exit code.
struct CommandLineTool {
    var arguments: [String]
    var environment: [String: String]

    /// 0 when all went well, 64 (as `sysexits.h` has it) when the command line made no sense, 1 when something failed;
    /// commands may have others.
    func run() -> Int32 {
        do {
            return try dispatch()
        } catch let error as UsageError {
            let isTopic = arguments.first.map { ["export", "sandbox", "sync"].contains($0) } ?? false
            let help = isTopic ? "\(arguments[0]) --help" : "help"
            Terminal.tell("pledge: \(error) Try “pledge \(help)”.")
            return 64
        } catch {
            Terminal.tell("pledge: \(error)")
            return 1
        }
    }

    private func dispatch() throws -> Int32 {
        guard let command = arguments.first else { throw UsageError("No command was given.") }
        let rest = Array(arguments.dropFirst())
        if command == "help", let topic = rest.first {
            return try CommandLineTool(arguments: [topic, "--help"], environment: environment).dispatch()
        }
        let asksForHelp = rest.contains("--help") || rest.contains("-h")
        switch command {
        case "export" where asksForHelp:
            try Terminal.write(ExportCommand.help)
        case "sandbox" where asksForHelp:
            try Terminal.write(SandboxCommand.help)
        case "sync" where asksForHelp:
            try Terminal.write(SyncCommand.help)
        case _ where asksForHelp:
            try Terminal.write(Self.help)
        case "report":
            try ReportCommand(options: ReportOptions(rest), environment: environment).run()
        case "export":
            return try ExportCommand(options: ExportOptions(rest), environment: environment).run()
        case "sync":
            return try SyncCommand(options: SyncRequest(rest), environment: environment).run()
        case "sandbox":
            try SandboxCommand(options: SandboxOptions(rest)).run()
        case "--version":
            try Terminal.write("pledge \(Self.version)\n")
        case "help", "--help", "-h":
            try Terminal.write(Self.help)
        default:
            throw UsageError("There is no command “\(command)”.")
        }
        return 0
    }

    static let version = "1.0.0"

    static let help = """
        pledge: self-tracking data in the terminal

        USAGE
          pledge report [options]   a week of Exist data: by group, against its averages, with what goes together
          pledge sync FILE.db       your own data in a SQLite database, kept up to date; see pledge sync --help
          pledge export [options]   the data of many accounts, a line each; see pledge export --help
          pledge sandbox [options]  both services on this machine, for other programs; see pledge sandbox --help

        OPTIONS OF REPORT
          --mydatahelps     a participant's week from MyDataHelps instead: device data, tasks, answers, accounts
          --json            print the report as JSON
          --html FILE       write the report as one self-contained page; - is standard output. A new FILE is for you
                            alone (mode 600); one that was there keeps its mode and its owner
          --write           also acquire “mood”, store today's and read it back; always so in the sandbox
          --mood N          the mood to store, 1 to 9 (default 7 in the sandbox, 5 elsewhere)
          --token-kind KIND bearer (default) or simple, a read-only token made from a password
          --timeout SECONDS how long one request may take (default 30)
          --transport NAME  what carries requests: curl (default on Linux) or urlsession

        ENVIRONMENT
          EXIST_TOKEN       your token; without one the built-in sandbox answers, on this machine only
          EXIST_BASE_URL    the service's root (default https://exist.io/)
          MYDATAHELPS_TOKEN, MYDATAHELPS_BASE_URL  the same for --mydatahelps
          NO_COLOR          no colours, even in a terminal

        EXIT CODES
          0 all went well    1 something failed    64 the command line made no sense

        """
}

/// Something went wrong that is neither the service's nor the command line's fault.
struct Failure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The command line, or the environment, makes no sense.
struct UsageError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
