import Foundation
import PledgeHistory
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("The server address of an account", .serialized)
final class AccountAddressTests: ToolSuite {
    init() throws { try super.init(isEmpty: true) }

    /// Returns the lines of the accounts with these numbers. If an address is given, every line has that address.
    private func lines(_ numbers: ClosedRange<Int>, at address: URL?) -> String {
        numbers.map { number in
            let line = sandboxes.line(number)
            return (address.map { line.dropLast() + #","address":"\#($0.absoluteString)"}"# } ?? line) + "\n"
        }.joined()
    }

    /// Starts a second server that has accounts with the same names.
    private func otherServer() throws -> LoopbackServer {
        let server = LoopbackServer(routes: sandboxes.exist.routes + sandboxes.participants.routes)
        try server.start()
        return server
    }

    @Test("With the accounts file of `pledge sandbox`, check, export, and sync send requests only to that sandbox")
    func sandbox() async throws {
        let file = folder.path("accounts.jsonl")
        let sandbox = try SandboxRun("--accounts", "2", "--accounts-file", file)
        // Nothing listens at this proxy's address, so a request to a server outside of this machine would fail.
        let nowhere = ["https_proxy": "http://127.0.0.1:1/"]
        try await ToolProcess(["export", file, "--check", "--outage-wait", "0"], nowhere).end(0)
        let (results, sync) = (["--output", folder.path("r.jsonl")], ["sync", "--database", folder.path("s.db")])
        for command in [["export"] + results, ["export", "--resume"] + results, sync, sync] {
            try await Tool.run(command + [file, "--outage-wait", "0"])
        }
        let lines = try self.results
        #expect(lines.count == 2 && lines.allSatisfy { $0.errorKind == nil })
        #expect(lines.allSatisfy { ($0.json["address"] as? String)?.hasPrefix("http://127.0.0.1:") == true })
        try await sandbox.end()
    }

    @Test("If two lines, or a line and EXIST_BASE_URL, name different servers, the run fails and sends nothing")
    func disagreement() async throws {
        let other = try otherServer()
        let (here, there) = (sandboxes.server.baseURL, other.baseURL)
        for (text, environment, said) in [
            (lines(1...2, at: there), sandboxes.environment, "unset EXIST_BASE_URL"),
            (lines(1...2, at: here) + lines(3...4, at: there), [:], "use a separate file"),
            // A line without an address means the real service.
            (lines(1...2, at: here) + lines(3...4, at: nil), [:], "https://exist.io/, because it doesn't name one"),
        ] {
            let file = try accounts(text)
            for command in [["export"], ["export", "--check"], ["sync", "--database", folder.path("s.db")]] {
                let run = try await Tool.run(command + [file], environment, exits: 64, saying: said)
                #expect(!run.errors.contains("secret-"))
            }
        }
        #expect(sandboxes.server.requests.isEmpty && other.requests.isEmpty)
    }

    @Test("A slash at the end of an address makes no difference, in a line, a profile, or an environment variable")
    func slash() async throws {
        let address = String(sandboxes.server.baseURL.absoluteString.dropLast())
        let environment = ["XDG_CONFIG_HOME": folder.path("config")]
        let plain = environment.adding(["EXIST_BASE_URL": address])
        try await ToolRun(["login"], plain, input: sandboxes.exist.token + "\n").end(0)
        let line = #"{"service":"exist","account":"p","token":{"profile":"default"},"address":"\#(address)"}"# + "\n"
        let file = try accounts(lines(1...2, at: URL(string: address)) + line)
        try await export(["\(file)"] + output, environment)
        try await export(["\(file)", "--resume"] + output, plain)
        #expect(try results.count == 3 && results.allSatisfy { $0.errorKind == nil })
    }

    @Test("Resuming an export with accounts of another server fails and leaves the results file unchanged")
    func resumed() async throws {
        let other = try otherServer()
        let arguments = ["export", "--resume"] + output
        try await Tool.run(arguments, input: lines(1...2, at: sandboxes.server.baseURL))
        let before = folder.text("r.jsonl")
        for text in [lines(1...4, at: other.baseURL), lines(1...4, at: nil)] {
            try await Tool.run(arguments, input: text, exits: 64, saying: "r.jsonl has the server")
            try await Tool.run(arguments + [try accounts(text)], exits: 64, saying: "r.jsonl has http://127")
        }
        #expect(other.requests.isEmpty && folder.text("r.jsonl") == before)
        try await Tool.run(arguments + [try accounts(lines(1...4, at: sandboxes.server.baseURL))])
        #expect(folder.lines("r.jsonl").count == 4)
    }

    @Test("A sync fails if the server address in an account's line differs from the account's address in the database")
    func database() async throws {
        let other = try otherServer()
        let here = sandboxes.server.baseURL
        for (address, environment, said) in [
            (here, [:], nil), (other.baseURL, [:], "use another database"),
            (nil, sandboxes.environment, "use another database"), (here, [:], nil),
        ] as [(URL?, [String: String], String?)] {
            let sync = ["sync", try accounts(lines(1...1, at: address)), "--database", folder.path("s.db")]
            let run = try await Tool.run(sync, environment, exits: said == nil ? 0 : 1)
            #expect(said.map(run.errors.contains) != false, "\(run.errors)")
        }
        #expect(other.requests.isEmpty)
    }
}
