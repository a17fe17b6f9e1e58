import Foundation
import PledgeHistory
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// The address in an account's line, with sandboxes and files.
@Suite("The address of an account", .serialized)
struct AccountAddressTests {
    let sandboxes: BothSandboxes
    let folder: TemporaryFolder

    init() throws {
        sandboxes = try BothSandboxes(isEmpty: true)
        folder = try TemporaryFolder()
    }

    /// Returns lines with this address.
    private func lines(_ numbers: ClosedRange<Int>, at address: URL?) -> String {
        numbers.map { number in
            let line = sandboxes.line(number)
            return (address.map { line.dropLast() + #","address":"\#($0.absoluteString)"}"# } ?? line) + "\n"
        }.joined()
    }

    private func accounts(_ text: String) throws -> String {
        try folder.file("accounts.jsonl", holding: text).path
    }

    /// A second server, with accounts of the same names.
    private func otherServer() throws -> SandboxServer {
        let server = SandboxServer(services: [sandboxes.exist, sandboxes.participants])
        try server.start()
        return server
    }

    @Test("The accounts that `pledge sandbox` writes lead back to it: in a check, an export, and a sync")
    func sandbox() async throws {
        let file = folder.path("accounts.jsonl")
        let (input, output) = (Pipe(), Pipe())
        let sandbox = try ToolRun(
            ["sandbox", "--accounts", "2", "--accounts-file", file], from: input.fileHandleForReading,
            output: output.fileHandleForWriting)
        try output.fileHandleForWriting.close()
        _ = output.fileHandleForReading.availableData

        // Nothing but this machine can be reached.
        let nowhere = ["https_proxy": "http://127.0.0.1:1/"]
        let check = try await Tool.launch(["export", file, "--check", "--outage-wait", "0"], nowhere)
        #expect(check.status == 0, "\(check.errors)")
        for command in [
            ["export", file, "--output", folder.path("r.jsonl"), "--outage-wait", "0"],
            ["export", file, "--output", folder.path("r.jsonl"), "--resume", "--outage-wait", "0"],
            ["sync", file, "--database", folder.path("s.db"), "--outage-wait", "0"],
            ["sync", file, "--database", folder.path("s.db"), "--outage-wait", "0"],
        ] {
            let run = try await Tool.run(command)
            #expect(run.status == 0, "\(command): \(run.errors)")
        }
        let results = try folder.lines("r.jsonl").map { try ResultLine($0) }
        #expect(results.count == 2 && results.allSatisfy { $0.errorKind == nil })
        #expect(results.allSatisfy { ($0.json["address"] as? String)?.hasPrefix("http://127.0.0.1:") == true })
        try input.fileHandleForWriting.close()
        #expect(await sandbox.end() == 0)
    }

    @Test("A line and the variable that disagree end the run before anything is sent, as do two lines")
    func disagreement() async throws {
        let other = try otherServer()
        defer { other.stop() }
        let (here, there) = (sandboxes.server.baseURL, other.baseURL)
        for (text, environment, said) in [
            (lines(1...2, at: there), sandboxes.environment, "unset EXIST_BASE_URL"),
            (lines(1...2, at: here) + lines(3...4, at: there), [:], "use a separate file"),
            // An account without an address is the real service's.
            (lines(1...2, at: here) + lines(3...4, at: nil), [:], "https://exist.io/, because it names none"),
        ] {
            let file = try accounts(text)
            for command in [["export"], ["export", "--check"], ["sync", "--database", folder.path("s.db")]] {
                let run = try await Tool.run(command + [file], environment)
                #expect(run.status == 64 && run.errors.contains(said), "\(command): \(run.errors)")
                #expect(!run.errors.contains("secret-"))
            }
        }
        #expect(sandboxes.server.requests.isEmpty && other.requests.isEmpty)
        // The same address, with and without a slash, is no disagreement.
        let plain = try #require(URL(string: String(here.absoluteString.dropLast())))
        let agreed = try await Tool.run(
            ["export", try accounts(lines(1...2, at: plain)), "--sections", "profile,participant"],
            sandboxes.environment)
        #expect(agreed.status == 0, "\(agreed.errors)")
    }

    @Test("A resumed export never mixes two servers in one file, whether the input is a file or a pipe")
    func resumed() async throws {
        let other = try otherServer()
        defer { other.stop() }
        let arguments = [
            "--output", folder.path("r.jsonl"), "--resume", "--sections", "profile,participant",
        ]
        let first = try ToolRun(["export"] + arguments, input: lines(1...2, at: sandboxes.server.baseURL))
        #expect(await first.end() == 0, "\(first.errors)")
        let before = folder.text("r.jsonl")
        for text in [lines(1...4, at: other.baseURL), lines(1...4, at: nil)] {
            let piped = try ToolRun(["export"] + arguments, input: text)
            #expect(await piped.end() == 64 && piped.errors.contains("r.jsonl has the server"), "\(piped.errors)")
            let run = try await Tool.run(["export", try accounts(text)] + arguments)
            #expect(run.status == 64 && run.errors.contains("r.jsonl has http://127"), "\(run.errors)")
        }
        #expect(other.requests.isEmpty && folder.text("r.jsonl") == before)
        let more = try await Tool.run(
            ["export", try accounts(lines(1...4, at: sandboxes.server.baseURL))] + arguments)
        #expect(more.status == 0 && folder.lines("r.jsonl").count == 4, "\(more.errors)")
    }

    @Test("A database never mixes two servers in one account")
    func database() async throws {
        let other = try otherServer()
        defer { other.stop() }
        func sync(_ address: URL?, _ environment: [String: String] = [:]) async throws -> Tool.Outcome {
            try await Tool.run(
                ["sync", try accounts(lines(1...1, at: address)), "--database", folder.path("s.db")], environment)
        }
        #expect(try await sync(sandboxes.server.baseURL).status == 0)
        let mixed = try await sync(other.baseURL)
        #expect(mixed.status == 1 && mixed.errors.contains("use another database"), "\(mixed.errors)")
        #expect(try await sync(nil, sandboxes.environment).status == 1)
        #expect(other.requests.isEmpty)
        #expect(try await sync(sandboxes.server.baseURL).status == 0)
    }

    @Test("An address is accepted only as the variables are, and the error does not contain it")
    func invalid() {
        for (address, said) in [
            (#""http://hush.example/""#, "plain http"), (#""https://me@hush.example/""#, "a user name"),
            (#""hush""#, "not a URL"), (#""""#, "not a URL"), ("7", "not a string"),
            (#""ftp://127.0.0.1/hush""#, "not a URL"),
        ] {
            let line = #"{"service":"exist","account":"a","token":"t","address":\#(address)}"#
            let error = thrown(BadLine.self) { try AccountLine(Array(line.utf8), number: 1, environment: [:]) }
            #expect(
                error.map { "\($0)".contains(said) && !"\($0)".contains("hush") } == true,
                "\(String(describing: error))")
        }
    }
}
