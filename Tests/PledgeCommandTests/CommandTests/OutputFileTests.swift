import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// Files of the whole tool: who can read them, and what another user may have put in the way.
@Suite("Files that the tool writes", .serialized)
struct OutputFileTests {
    let sandboxes: BothSandboxes
    let folder: TemporaryFolder

    init() throws {
        sandboxes = try BothSandboxes()
        folder = try TemporaryFolder()
    }

    private func mode(_ name: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder.path(name))
        return attributes?[.posixPermissions] as? Int ?? 0
    }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
    }

    private func export(_ arguments: [String]) async throws -> (status: Int32, errors: String) {
        let accounts = try folder.file("accounts.jsonl", holding: sandboxes.lines(1...4)).path
        let process = try ToolProcess(
            ["export", accounts, "--sections", "profile,participant"] + arguments, sandboxes.environment)
        return (await process.end(), process.errors)
    }

    @Test("Results, tables, pages, and account files are accessible only to their owner")
    func modes() async throws {
        #expect(try await export(["--output", folder.path("r.jsonl"), "--format", "csv"]).status == 0)
        #expect(try await Tool.run(["report", "--html", folder.path("week.html")]).status == 0)
        // The sandbox ends with its input, which ends at once.
        let input = Pipe()
        try input.fileHandleForWriting.close()
        let served = try ToolProcess(["sandbox", "--accounts-file", folder.path("served.jsonl")], from: input)
        #expect(await served.end() == 0)

        #expect(!folder.lines("served.jsonl").isEmpty)
        let tables = CSVTable.allCases.map { "r.\($0.rawValue).csv" }
        for name in ["r.jsonl", "r.jsonl.run", "week.html", "served.jsonl"] + tables {
            #expect(mode(name) == 0o600, "\(name)")
        }
    }

    @Test("`--retry` does not write through a planted link, and the results keep their mode")
    func plantedCopy() async throws {
        let output = ["--output", folder.path("r.jsonl"), "--resume"]
        sandboxes.server.script.next(2, respond: .empty(403))
        #expect(try await export(output).status == 2)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.path("r.jsonl"))
        try folder.file("victim", holding: "precious")
        try link("r.jsonl.tmp", to: "victim")

        let run = try await export(output + ["--retry", "all"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(folder.text("victim") == "precious")
        #expect(folder.lines("r.jsonl").count == 4)
        #expect(mode("r.jsonl") == 0o640)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!names.contains { $0.hasPrefix(".pledge-") })
    }

    @Test("Results behind a link that was named stay there, even when they are rewritten")
    func namedLink() async throws {
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("disk"), withIntermediateDirectories: true)
        try folder.file("disk/results", holding: "")
        try link("r.jsonl", to: "disk/results")
        sandboxes.server.script.next(2, respond: .empty(403))
        #expect(try await export(["--output", folder.path("r.jsonl")]).status == 2)
        #expect(try await export(["--output", folder.path("r.jsonl"), "--resume", "--retry", "all"]).status == 0)

        #expect(folder.lines("disk/results").count == 4)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("r.jsonl")) == "disk/results")
    }

    @Test("A link in place of a table is rejected before anything is sent, and its target is not truncated")
    func plantedTable() async throws {
        try folder.file("victim", holding: "a=1\n")
        try link("r.values.csv", to: "victim")
        for more in [[], ["--resume"]] {
            sandboxes.server.resetRequests()
            let run = try await export(["--output", folder.path("r.jsonl"), "--format", "csv"] + more)
            #expect(run.status == 1 && run.errors.contains("r.values.csv cannot be written"), "\(run.errors)")
            #expect(sandboxes.server.requests.isEmpty)
        }
        #expect(folder.text("victim") == "a=1\n")
    }
}
