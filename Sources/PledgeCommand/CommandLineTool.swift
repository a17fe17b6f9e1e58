import Foundation
import Pledge
import PledgeFiles

/// `pledge`: runs a command, and turns any error into a one-line message and an exit code.
struct CommandLineTool {
    var arguments: [String]
    var context: RunContext

    /// A shell's exit code for a program that wrote to a closed pipe.
    private static let closedPipe = 128 + SIGPIPE

    /// Returns the exit code: 0 for success, 64 (as in `sysexits.h`) for invalid usage, or 1; commands may have others.
    func run() -> Int32 {
        let outcome = Result { try dispatch() }
        for folder in OutputPath.takeUnprotected() {
            tell(
                "The file system of \(folder) keeps no owners and modes: only the protection of that folder keeps others "
                    + "from its files.")
        }
        switch outcome {
        case .success(let status): return status
        case .failure(is Terminal.ClosedPipe): return Self.closedPipe
        case .failure(let error as UsageError):
            let command = arguments.first.flatMap { try? CommandTable.find($0) }.map(\.name) ?? "help"
            let page = command == "help" ? "" : " \(command)"
            tell("\(error) Try “pledge help\(page)”.")
            return error.exitCode
        case .failure(let error):
            tell("\(error)")
            return error.exitCode
        }
    }

    /// Prints notes of the library; its other events are for programmers, and the commands report errors themselves.
    @Sendable func log(_ event: PromiseEvent) {
        if case .note(let words) = event { tell(words) }
    }

    private func tell(_ words: String) { context.terminal.tell("pledge: \(words)", isError: true) }

    private func dispatch() throws -> Int32 {
        var (words, context) = (arguments[...], context)
        let name = words.popFirst() ?? "--help"
        switch name {
        case "--version", "-V", "-v", "version":
            try context.terminal.write("pledge \(Version.text)\n")
            return 0
        case Completions.command:
            try context.terminal.write(Completions.completions(of: Array(words)))
            return 0
        case "--help", "-h":
            try context.terminal.show(Help(context.terminal).overview())
            return 0
        default: break
        }
        let command = try CommandTable.find(name)
        let own = words.prefix { $0 != "--" }
        if own.contains(where: { ["--help", "-h"].contains($0) }) {
            try context.terminal.show(Help(context.terminal).page(command))
            return 0
        }
        TokenFiles.misspelled(context.terminal.environment).forEach(tell)
        context.terminal.environment = try TokenFiles.read(context.terminal.environment)
        var arguments = try Arguments(Array(words), of: command, in: context)
        if let file = arguments[Access.caFile] {
            guard try Settings(arguments.environment).makeTransport().kind == .curl else {
                throw UsageError("--ca-file needs libcurl: URLSession trusts the system's certificates only.")
            }
            guard SystemFile(reading: file)?.isRegular == true else {
                throw UsageError("--ca-file needs a PEM file, and \(file) is none.")
            }
            arguments.environment["CURL_CA_BUNDLE"] = file
        }
        // Checked first, since without a valid format the outcome could not be shown.
        try Listing.form(arguments)
        return try command.run(arguments)
    }
}
