import Foundation

/// `pledge`: finds the command, and turns any error into a one-line message and an exit code.
struct CommandLineTool {
    var arguments: [String]
    var environment: [String: String]

    static let version = "1.0.0"
    /// The `User-Agent` sent to both services.
    static let userAgent = "pledge/\(version)"

    /// Returns the exit code: 0 on success, 64 (as in `sysexits.h`) for an invalid command line, 1 if something failed;
    /// commands may have others.
    func run() -> Int32 {
        do {
            return try dispatch()
        } catch let error as UsageError {
            let command =
                arguments.first.flatMap { try? CommandTable.find($0) }.map { $0.name == "help" ? "" : " \($0.name)" }
                ?? ""
            Terminal.tell("pledge: \(error) Try “pledge help\(command)”.")
            return 64
        } catch {
            Terminal.tell("pledge: \(error)")
            return 1
        }
    }

    private func dispatch() throws -> Int32 {
        guard let name = arguments.first else { throw UsageError("No command was given.") }
        switch name {
        case "--version", "-v", "version":
            try Terminal.write("pledge \(Self.version)\n")
            return 0
        case "--help", "-h":
            try Terminal.write(Help.overview())
            return 0
        default: break
        }
        let command = try CommandTable.find(name)
        let rest = Array(arguments.dropFirst())
        if rest.prefix(while: { $0 != "--" }).contains(where: { ["--help", "-h"].contains($0) }) {
            try Terminal.write(Help.page(command))
            return 0
        }
        let arguments = try Arguments(rest, of: command, environment: environment)
        // Before anything is requested or written, because the outcome could not be shown.
        try Listing.form(arguments)
        return try command.run(arguments)
    }
}

/// An error that is neither the service's nor the command line's fault.
struct Failure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

/// An invalid command line or environment.
struct UsageError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
