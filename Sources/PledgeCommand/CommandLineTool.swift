import Foundation
import Pledge
import PledgeFiles

/// `pledge`: runs one command. An error becomes a one-line message and an exit code.
struct CommandLineTool {
    var arguments: [String]
    var context: RunContext

    /// Runs the command, and returns the exit code of the process.
    func run() -> ExitCode {
        let outcome = Result { try dispatch() }
        for folder in OutputPath.takeUnprotected() {
            notify(
                "The file system of \(folder) doesn't store owners and permissions: whoever can open that folder can "
                    + "read the files in it.")
        }
        switch outcome {
        case .success(let code): return code
        case .failure(let error):
            switch error.exitCode {
            case .closedPipe: break
            case .usage:
                let command = arguments.first.flatMap { try? CommandTable.find($0) }.map(\.name) ?? "help"
                let page = command == "help" ? "" : " \(command)"
                notify("\(error) Try “pledge help\(page)”.")
            default: notify("\(error)")
            }
            return error.exitCode
        }
    }

    /// Prints the notes that the library's modules log. All other events are for programmers, and the commands report
    /// errors themselves.
    @Sendable func log(_ event: PromiseEvent) {
        if case .note(let text) = event { notify(text) }
    }

    private func notify(_ text: String) { context.terminal.notify("pledge: \(text)", isError: true) }

    private func dispatch() throws -> ExitCode {
        var (words, context) = (arguments[...], context)
        let name = words.popFirst() ?? "--help"
        switch name {
        case "--version", "-V", "-v", "version":
            try context.terminal.write("pledge \(Version.full)\n")
            return .success
        case Completions.command:
            try context.terminal.write(Completions.completions(of: Array(words)))
            return .success
        case "--help", "-h":
            try context.terminal.show(Help(context.terminal).overview())
            return .success
        default: break
        }
        let command = try CommandTable.find(name)
        let own = words.prefix { $0 != "--" }
        if own.contains(where: { ["--help", "-h"].contains($0) }) {
            try context.terminal.show(Help(context.terminal).page(command))
            return .success
        }
        TokenFiles.misspelled(context.terminal.environment).forEach(notify)
        context.terminal.environment = try TokenFiles.read(context.terminal.environment)
        var arguments = try Arguments(Array(words), of: command, in: context)
        if let file = arguments[Access.caFile] {
            guard try Settings(arguments.environment).makeTransport().kind == .curl else {
                throw UsageError("--ca-file needs libcurl: URLSession trusts the system's certificates only.")
            }
            guard SystemFile(reading: file)?.isRegular == true else {
                throw UsageError("--ca-file needs a PEM file; \(file) isn't one.")
            }
            // Programs that print tokens inherit the environment, and so trust the same certificates.
            arguments.environment["CURL_CA_BUNDLE"] = file
        }
        // The format is checked before the command runs. With an invalid format, the command could not show its result.
        try Listing.form(arguments)
        return try command.run(arguments)
    }
}

enum CommandTable {
    static let all: [Command] = [
        ReportCommand.command, AttributesCommand.command, InsightsCommand.command, AveragesCommand.command,
        CorrelationsCommand.command, ProfileCommand.command, SurveysCommand.command, DeviceDataCommand.command,
        NotificationsCommand.command, AccountsCommand.command, SetCommand.command, IncrementCommand.command,
        CreateCommand.command, ReleaseCommand.command, LoginCommand.command, LogoutCommand.command,
        StatusCommand.command, CheckCommand.command, SyncCommand.command, ExportCommand.command,
        ParticipantsCommand.command, ForgetCommand.command, BackupCommand.command, SandboxCommand.command, completions,
        help,
    ]

    static let notes: [Command.Note] = [
        .init(
            title: "ENVIRONMENT",
            text: """
                EXIST_TOKEN, MYDATAHELPS_TOKEN  an access token to use instead of a stored account; must not be empty
                EXIST_TOKEN_FILE, MYDATAHELPS_TOKEN_FILE  a file with that token, such as a mounted secret
                EXIST_BASE_URL, MYDATAHELPS_BASE_URL  the service's base URL, for that token (default the real service)
                EXIST_TOKEN_KIND  simple, if EXIST_TOKEN was created with a password; such a token can only read
                PLEDGE_PROFILE  the stored account to use (default “default”), like --profile
                PLEDGE_PLAIN_HTTP_HOSTS  hosts to which tokens may be sent over plain http, such as a sandbox's container
                PLEDGE_TRANSPORT  the HTTP client: curl (default on Linux) or urlsession
                PLEDGE_MAX_REQUESTS, PLEDGE_MAX_SIZE, PLEDGE_MAX_ITEMS, PLEDGE_MAX_TIME  how much a command, or each account \
                of a batch, may use: requests, MiB of responses, items in lists, seconds
                XDG_CONFIG_HOME  stored accounts are in its folder pledge (default ~/.config; on macOS the Keychain)
                PLEDGE_KEYCHAIN  0 stores accounts in files on macOS as well
                COLUMNS  the width of text that goes to a pipe or a file (default 80)
                LC_ALL, LC_CTYPE, LANG  with a locale without UTF-8, such as C, or with TERM=dumb, text is in ASCII
                NO_COLOR  disable colors, even in a terminal
                """),
        .init(
            title: "EXIT CODES",
            text: """
                0  success
                1  failure
                4  items that could not be read are missing from the output
                64  invalid command line or environment
                others  see the help of pledge set, pledge export, and pledge sync
                """),
    ]

    private static let completions = Command(
        name: "completions", summary: "print a completion script for a shell", part: .shell,
        operands: .init(
            form: "bash|zsh|fish", count: 1...1, completes: .words(Completions.allCases.map(\.rawValue))),
        examples: [
            "source <(pledge completions bash)": "in ~/.bashrc",
            "pledge completions zsh > ~/.zfunc/_pledge": "if fpath contains ~/.zfunc",
            "pledge completions fish > ~/.config/fish/completions/pledge.fish": "for fish",
        ]
    ) { arguments in
        let name = arguments.operands[0]
        guard let shell = Completions(rawValue: name) else {
            let near = Nearest.hint(to: name, among: Completions.allCases.map(\.rawValue))
            throw UsageError("Completions exist for bash, zsh, and fish, not for “\(name)”.\(near)")
        }
        try arguments.terminal.write(shell.script)
        return .success
    }

    private static let help = Command(
        name: "help", summary: "show a command's options and examples", part: .shell,
        operands: .init(form: "[COMMAND]", count: 0...1, completes: .commands),
        examples: ["pledge help report": "the same as pledge report --help"]
    ) { arguments in
        let help = Help(arguments.terminal)
        try arguments.terminal.show(arguments.operands.first.map { help.page(try find($0)) } ?? help.overview())
        return .success
    }

    /// Words that users may type instead of a command's name, such as the names that other tools use. The value is the
    /// command to suggest.
    private static let otherWords = [
        "get": "attributes", "list": "attributes", "values": "attributes", "week": "report", "tag": "set",
        "add": "increment", "new": "create", "auth": "login", "signin": "login", "signout": "logout",
    ]

    static func find(_ name: String) throws -> Command {
        if let command = all.first(where: { $0.name == name }) { return command }
        let near = otherWords[name.lowercased()].map { " Did you mean “\($0)”?" }
        throw UsageError("There is no command “\(name)”.\(near ?? Nearest.hint(to: name, among: all.map(\.name)))")
    }
}
