import Foundation
import PledgeHistory
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// A command that changes files, and how its folder is prepared for it.
struct WritingCommand: Sendable, CustomTestStringConvertible {
    var name: String
    /// Fills the folder with what the command needs, and returns the words of the command line.
    var prepare: @Sendable (TemporaryFolder, BothSandboxes) async throws -> [String]
    var input: String?
    /// A text that no file may contain after the command.
    var erased: String?
    /// An error message that is allowed when the command is repeated. The repeated command may fail with this message
    /// if the stopped run had already succeeded, or had used up a token.
    var excuse: String?
    /// Whether the command uses the accounts of the environment.
    var isOwn = false

    var testDescription: String { name }

    static let all = [
        WritingCommand(name: "sync") { folder, services in sync(try accounts(folder, services), folder) },
        WritingCommand(name: "export --resume") { folder, services in
            let input = try accounts(folder, services)
            let all = export(input, folder, services)
            try await Tool.run(all + ["--shard", "0/2"], services.environment)
            // Without the shard in its record, the run looks like an interrupted run of all accounts.
            let record = folder.text("results.jsonl.run").replacing(#/"--shard" : "0\/2",\s*/#, with: "")
            try folder.file("results.jsonl.run", holding: record)
            return all + ["--resume"]
        },
        WritingCommand(
            name: "forget",
            prepare: { folder, services in
                let input = try accounts(folder, services)
                try await Tool.run(sync(input, folder), services.environment)
                try await Tool.run(export(input, folder, services), services.environment)
                try folder.remove("accounts.jsonl")
                return ["forget", "a1", "a2", "--database", folder.path("study.db")]
                    + ["--results", folder.path("results.jsonl")]
            }, erased: "user of a1"),
        WritingCommand(name: "backup") { folder, services in
            let sync = sync(try accounts(folder, services), folder)
            try await Tool.run(sync + ["--shard", "0/2"], services.environment)
            try await Tool.run(["backup", folder.path("study.db"), folder.path("copy.db")])
            try await Tool.run(sync, services.environment)
            return ["backup", folder.path("study.db"), folder.path("copy.db")]
        },
        WritingCommand(
            name: "login", prepare: { _, _ in ["login", "--mydatahelps"] }, input: "secret-participant-2\n"),
        WritingCommand(
            name: "logout",
            prepare: { folder, services in
                _ = services.line(2)
                try await ToolRun(
                    ["login", "--mydatahelps"], environment(folder, services), input: "secret-participant-2\n"
                ).end(0)
                return ["logout"]
            }, erased: "secret-participant-2", excuse: "There is no profile"),
        WritingCommand(
            name: "report --html",
            prepare: { folder, services in
                try folder.file("page.html", holding: "an older page")
                return ["report", "--html", folder.path("page.html")]
            }, isOwn: true),
        WritingCommand(
            name: "set, with a token to renew",
            prepare: { folder, services in
                let exist = services.exist
                let token = ExistCredential(
                    address: services.server.baseURL, username: exist.username, kind: .bearer,
                    token: .init(
                        accessToken: exist.token, refreshToken: exist.refreshToken, expiresAt: .distantPast),
                    app: .init(
                        clientID: exist.clientID, clientSecret: exist.clientSecret,
                        redirectURI: "http://localhost:8000/"))
                try ProfileStore(environment(folder, services))?.update("default") { $0.exist = token }
                return ["set", "steps=7"]
            }, excuse: "Sign in again"),
    ]

    static func environment(_ folder: TemporaryFolder, _ services: BothSandboxes) -> [String: String] {
        services.environment.adding(["XDG_CONFIG_HOME": folder.path("config")])
    }

    /// Options with which accounts run one after another, so that every run takes the same steps.
    private static let steady = ["--in-flight", "1", "--rate=100000"]

    private static func sync(_ input: String, _ folder: TemporaryFolder) -> [String] {
        ["sync", input, "--database", folder.path("study.db")] + steady
    }

    private static func export(_ input: String, _ folder: TemporaryFolder, _ services: BothSandboxes) -> [String] {
        ["export", input, "--output", folder.path("results.jsonl")] + steady
            + ["--from", "2026-11-01", "--through", "2026-11-20"]
    }

    private static func accounts(_ folder: TemporaryFolder, _ services: BothSandboxes) throws -> String {
        try folder.file("accounts.jsonl", holding: services.lines(1...4)).path
    }
}

extension TemporaryFolder {
    /// Returns what must be the same in each file after every run: everything except times and the order of lines.
    func content(hiding address: String) throws -> [String: [String]] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: url.path).filter { name in
            (try? FileManager.default.attributesOfItem(atPath: path(name))[.type] as? FileAttributeType) == .typeRegular
        }
        return Dictionary(
            uniqueKeysWithValues: try names.map { name in
                (name, try content(of: name).map { $0.replacing(address, with: "ADDRESS") })
            })
    }

    private func content(of name: String) throws -> [String] {
        switch URL(fileURLWithPath: name).pathExtension {
        case "db":
            let history = try History(reading: path(name))
            return try history.query("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sync_run'").rows
                .flatMap { row in
                    try history.query("SELECT * FROM \(row[0])").rows.map { "\(row[0]): \($0)" }.sorted()
                }
        case "run": return lines(name).filter { !$0.contains("\"began\"") }
        // The part of a line that describes the run is left out, because it has times.
        case "jsonl":
            return text(name).components(separatedBy: "\n").map { $0.components(separatedBy: #","run":{"#)[0] }.sorted()
        // Tokens are left out, because a renewed token is different in every run.
        case "json": return lines(name).filter { $0.contains("username") || $0.contains("participant") }
        default: return [text(name)]
        }
    }
}
