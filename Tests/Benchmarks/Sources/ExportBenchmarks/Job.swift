import ExistKit
import Foundation

/// What each contender must do: export or sync the same accounts and the same days.
struct Job {
    let folder: URL
    let accounts: Int
    let inFlight: String
    let transport: [String]
    private let days: (first: String, last: String)
    private var input: String { folder.appendingPathComponent("accounts.jsonl").path }
    /// Returns the path of a file with only this many accounts. Whole histories are fetched for few accounts, because
    /// each takes long.
    private func few(_ count: Int) -> String { folder.appendingPathComponent("\(count).jsonl").path }
    private var fewCount: Int { min(accounts, 40) }

    typealias Contender = (name: String, accounts: Int, command: () -> [String])
    /// A required ratio between two contenders. Without a limit, the ratio is only shown.
    typealias Gate = (one: String, other: String, most: Double?)

    static let (export, client) = ("pledge export", "EndpointClient")
    static let (json, orjson, loop) = ("Python, json", "Python, orjson", "C++, libcurl and simdjson")
    static let (night, nightClient) = ("pledge sync, every night", "EndpointClient, the same responses")
    static let nightExport = "an export of the same responses"
    static let (first, firstExport) = ("pledge sync, the first", "pledge export of the same history")
    static let (some, all) = ("pledge participants, 11,111 of them", "pledge participants, all 20,000")
    /// The gates for counts of instructions.
    static let countedGates: [Gate] = [(export, client, 1.6), (export, loop, 2.1)]
    static let gates: [Gate] = [
        (export, client, nil), (export, json, 0.33), (export, orjson, 0.46), (export, loop, nil),
        (night, nightExport, 1.5), (first, firstExport, nil), (all, some, 1.3),
    ]
    static let project = 20_000

    init(accounts: Int, inFlight: String, transport: [String]) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("export-benchmarks-\(UUID())")
        (self.accounts, self.inFlight, self.transport) = (accounts, inFlight, transport)
        let today = ExistDay(Date(), in: TimeZone(secondsFromGMT: 0) ?? .current)
        days = (today.advanced(by: -6).description, today.description)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let lines = (1...accounts).map { #"{"service":"exist","account":"a\#($0)","token":"exist-\#($0)"}"# + "\n" }
        try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: input))
        for count in [fewCount] + Self.sizes {
            try Data(lines.prefix(count).joined().utf8).write(to: URL(fileURLWithPath: few(count)))
        }
    }

    /// The numbers of accounts with which a contender's instructions are counted. The instructions for one account are
    /// computed from the difference of the two counts.
    static let sizes = [5, 45]

    func clean() { try? FileManager.default.removeItem(at: folder) }

    func contenders(pledge: String, python: String) -> [Contender] {
        let script = Self.script("export.py")
        let loop = build(Self.script("export.cpp"))
        let client = [CommandLine.arguments[0], "client", "--accounts", "\(accounts)", "--in-flight", inFlight]
        func export(_ input: String, _ name: String, _ options: [String]) -> [String] {
            [pledge, "export", input, "--output", fresh(name), "--through", days.last] + options + limits
        }
        func sync(_ input: String, _ database: String) -> [String] {
            [pledge, "sync", input, "--database", database] + limits
        }
        func participants(_ options: [String]) -> [String] {
            let project = ["--project", "2c7a5b7e-3f0d-4d7c-8a39-5d7f2f2a6b41", "--key", key()]
            return [pledge, "participants", "--service-account", "MyDataHelps.4711.NordicSleep"] + project + options
        }
        let nightly = folder.appendingPathComponent("nightly").path
        return [
            (Self.export, accounts, { export(input, "pledge", []) }), (Self.client, accounts, { client + transport }),
            (Self.json, accounts, { [python, script, input, fresh("json"), inFlight, days.first, days.last] }),
            (
                Self.orjson, accounts,
                { [python, script, input, fresh("orjson"), inFlight, days.first, days.last, "orjson"] }
            ),
            (Self.loop, accounts, { [loop, input, fresh("loop"), inFlight, days.first, days.last] }),
            // The first round, which doesn't count, fetches the whole history, so that later rounds are like nightly
            // syncs.
            (Self.night, accounts, { sync(input, nightly) }),
            (Self.nightClient, accounts, { client + ["--night"] + transport }),
            (Self.first, fewCount, { sync(few(fewCount), fresh("first")) }),
            (Self.firstExport, fewCount, { export(few(fewCount), "history", ["--days", "400"]) }),
            // The search finds the participants with the addresses `person-1`, `person-10`, and so on.
            (Self.some, 11_111, { participants(["--jsonl", "--search", "person-1"]) }),
            (Self.all, Self.project, { participants(["--jsonl"]) }),
        ]
    }

    /// The commands whose instructions are counted, for a number of accounts.
    func counted(pledge: String) -> [(name: String, command: (Int) -> [String])] {
        let loop = build(Self.script("export.cpp"))
        return [
            (
                Self.export,
                { [pledge, "export", few($0), "--output", fresh("counted"), "--through", days.last] + limits }
            ),
            (Self.client, { [CommandLine.arguments[0], "client", "--accounts", "\($0)", "--in-flight", inFlight] }),
            (Self.loop, { [loop, few($0), fresh("counted"), inFlight, days.first, days.last] }),
        ]
    }

    private var limits: [String] { ["--quiet", "--in-flight", inFlight] }

    /// Returns the path of a results file, after removing an earlier file with that name.
    private func fresh(_ name: String) -> String {
        for suffix in ["", ".run", "-wal", "-shm"] {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name + suffix))
        }
        return folder.appendingPathComponent(name).path
    }

    private static func script(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Scripts/\(name)")
            .standardized.path
    }

    /// Compiles the C++ program. If that fails, the contender doesn't take part.
    private func build(_ source: String) -> String {
        let program = folder.appendingPathComponent("export-loop").path
        run(["c++", "-std=c++17", "-O3", source, "-o", program, "-lcurl", "-lsimdjson"])
        return program
    }

    /// Returns the path of the service account's key, which the sandbox accepts without checking it.
    private func key() -> String {
        let file = folder.appendingPathComponent("key.pem").path
        if !FileManager.default.fileExists(atPath: file) { run(["openssl", "genrsa", "-out", file, "2048"]) }
        return file
    }

    private func run(_ command: [String]) {
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        (program.arguments, program.standardError) = (command, FileHandle.nullDevice)
        if (try? program.run()) != nil { program.waitUntilExit() }
    }

    struct Different: Error {
        var name: String
        var account: String
    }

    /// Checks that all contenders found the same data, except for its cost and the notation of times.
    func checkResults() throws {
        let results = try ["pledge", "json", "orjson", "loop"].map { ($0, try lines($0)) }
        for (name, lines) in results where !lines.isEmpty {
            for (account, line) in results[0].1 where lines[account] != line {
                throw Different(name: name, account: account)
            }
        }
    }

    /// Returns the results of nine accounts from a file.
    private func lines(_ name: String) throws -> [String: JSONValue] {
        let file = folder.appendingPathComponent(name)
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [:] }
        var lines: [String: JSONValue] = [:]
        for line in text.split(separator: "\n") {
            guard let range = line.range(of: #""account":"a[1-9]","#, options: .regularExpression) else { continue }
            let response = RawResponse(url: ExistAPI.serviceURL, status: 200, body: Data(line.utf8))
            lines[String(line[range])] = Self.plain(try response.json())
        }
        return lines
    }

    private static func plain(_ value: JSONValue) -> JSONValue {
        switch value {
        case .integer(let number): .number(Double(number))
        case .array(let items): .array(items.map(plain))
        case .object(let members):
            .object(
                members.filter { !["run", "created", "local_time"].contains($0.key) && $0.value != .null }
                    .mapValues(plain))
        default: value
        }
    }
}
