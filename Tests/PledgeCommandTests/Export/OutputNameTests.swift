import ExistKit
import Foundation
import PledgeFiles
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("A results file with %F in its name", .serialized)
final class OutputNameTests: FolderSuite {
    private let noon = Date(timeIntervalSince1970: 1_795_435_200)
    private var next: Date { noon + 86_400 }

    /// Returns the options of an export that begins at a date.
    private func options(_ name: String, at date: Date, _ more: [String] = ["--resume"]) throws -> ExportOptions {
        var context = RunContext()
        context.clock = ManualTimekeeper(start: date).timekeeper
        return try ExportOptions(
            Arguments(["--output", folder.path(name)] + more, of: ExportCommand.command, in: context)
        ).continuing()
    }

    /// Begins a run without accounts as the tool does, records whether the run is finished, and returns its file's
    /// name.
    @discardableResult
    private func run(_ name: String, at date: Date, isFinished: Bool) throws -> String {
        let options = try options(name, at: date)
        let path = try #require(options.output)
        var start = try ExportStart(at: OutputPath(path), options, accounts: [], servers: BatchServers([:]))
        try start.save(isFinished: isFinished)
        return URL(fileURLWithPath: path).lastPathComponent
    }

    @Test("In a results file's name, %F is the day of the run and %% is a percent sign; other codes are refused")
    func expanded() throws {
        let day = ExistDay(noon)
        #expect(try options("r-%F-%%.jsonl", at: noon, []).output == folder.path("r-\(day)-%.jsonl"))
        #expect(try OutputName("a%%b/%F.%F").path(on: day) == "a%b/\(day).\(day)")
        #expect(try OutputName("plain").path(on: day) == "plain")
        for path in ["%Y", "r%", "%f", "100%.jsonl", "%F/r.jsonl", "a/%F/r"] {
            #expect(throws: UsageError.self, "\(path)") { try options(path, at: noon, []) }
        }
        #expect(
            try options("r-%F.jsonl", at: noon, []).files.dropFirst().allSatisfy {
                $0.hasPrefix(folder.path("r-\(day)."))
            })
    }

    @Test("An unfinished run continues on the next day with its old file name and days; then a new run begins")
    func nights() throws {
        let names = [noon, next].map { "r-\(ExistDay($0)).jsonl" }
        #expect(try run("r-%F.jsonl", at: noon, isFinished: false) == names[0])
        let continued = try options("r-%F.jsonl", at: next)
        #expect(continued.output == folder.path(names[0]))
        #expect(continued.window.began == noon && continued.window.today == ExistDay(noon))
        #expect(try run("r-%F.jsonl", at: next, isFinished: true) == names[0])
        #expect(try run("r-%F.jsonl", at: noon, isFinished: true) == names[0])
        #expect(try run("r-%F.jsonl", at: next, isFinished: false) == names[1])
        // The newest run is unfinished, so it continues, although an older run is finished. Without --resume, no run
        // continues.
        let other = next + 86_400
        #expect(try options("r-%F.jsonl", at: other).output == folder.path(names[1]))
        #expect(try options("r-%F.jsonl", at: other, []).output == folder.path("r-\(ExistDay(other)).jsonl"))
    }

    @Test(
        "--retry needs results of today or of an unfinished run; if all results are older, the error names the newest"
    )
    func retried() throws {
        let retry = ["--resume", "--retry", "unauthorized"]
        for name in ["r-%F.jsonl", "r.jsonl"] {
            let error = thrown(UsageError.self) { try options(name, at: noon, retry) }
            #expect(error?.description.contains("has no results yet") == true, "\(String(describing: error))")
        }
        let today = ExistDay(noon)
        try run("r-%F.jsonl", at: noon, isFinished: true)
        #expect(try options("r-%F.jsonl", at: noon, retry).output == folder.path("r-\(today).jsonl"))
        let error = thrown(UsageError.self) { try options("r-%F.jsonl", at: next, retry) }
        let named = "For the newest run, use --output \(folder.path("r-\(today).jsonl"))"
        #expect(error?.description.contains(named) == true)
        try run("r-%F.jsonl", at: noon, isFinished: false)
        #expect(try options("r-%F.jsonl", at: next, retry).output == folder.path("r-\(today).jsonl"))
    }

    @Test("If a process dies after it has removed the lines of accounts to repeat, the results don't count as finished")
    func diesAfterRemoving() throws {
        let account = AccountID(service: .exist, account: "f")
        let (options, line) = (try options("r", at: noon), try LineBuffer(account, error: ("timedOut", true)).text)
        var deaths = 0
        for call in 1...100 {
            let disk = SimulatedDisk(seed: 1)
            func start() throws -> ExportStart {
                try ExportStart(
                    at: disk.location("r"), options, accounts: [account.key], servers: BatchServers([:]))
            }
            var first = try start()
            try first.lines.append { write in try write(Array(line.utf8)) }
            try first.save(isFinished: true)
            #expect(disk.text("r" + RunRecord.suffix).contains(#""finished" : true"#))
            disk.beginProcess(.init(deadlyCall: call))
            if (try? start()) != nil { break }
            guard disk.text("r").isEmpty else { continue }
            deaths += 1
            #expect(disk.text("r" + RunRecord.suffix).contains(#""finished" : false"#), "call \(call)")
        }
        #expect(deaths > 0)
    }

    @Test("A new results file is neither truncated nor synced before its first line is written")
    func appended() throws {
        let (disk, options) = (SimulatedDisk(seed: 1), try options("r", at: noon, []))
        // Only the run's record may be synced. A second sync, such as a sync of the results file, would fail.
        disk.faults.failingSync = 2
        _ = try ExportStart(at: disk.location("r"), options, accounts: nil, servers: BatchServers([:]))
    }

    @Test("A run doesn't continue results that have another name or no record")
    func others() throws {
        let day = ExistDay(noon)
        try run("r-%F.jsonl", at: noon, isFinished: false)
        for name in ["r-%F.json", "r-1-%F.jsonl", "r%F.jsonl", "R-%F.jsonl"] {
            #expect(try options(name, at: next).output?.contains("\(ExistDay(next))") == true, "\(name)")
        }
        try folder.file("r-\(day)x.jsonl", holding: "")
        #expect(try options("r-%F.jsonl", at: next).output == folder.path("r-\(day).jsonl"))
        try FileManager.default.removeItem(atPath: folder.path("r-\(day).jsonl.run"))
        #expect(try options("r-%F.jsonl", at: next).output == folder.path("r-\(ExistDay(next)).jsonl"))
    }
}
