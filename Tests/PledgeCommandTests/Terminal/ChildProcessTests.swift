import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("The programs that the tool starts")
struct ChildProcessTests {
    private static let secrets = Access.Service.allCases.map(\.tokenName) + [BrowserSignIn.secretName]

    @Test("A program that the tool starts gets the tool's environment without the tool's secrets")
    func secrets() throws {
        let environment = Dictionary(uniqueKeysWithValues: Self.secrets.map { ($0, "s3cr3t") })
            .adding(["PATH": "/usr/bin:/bin", "EXIST_BASE_URL": "http://127.0.0.1/", "VAULT_TOKEN": "its own"])
        let child = try ChildProcess(["env"], environment)
        defer { child.end() }
        let bytes = try #require(child.read(atMost: 100_000, until: .now() + 3600))
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").sorted()
        #expect(lines == ["EXIST_BASE_URL=http://127.0.0.1/", "PATH=/usr/bin:/bin", "VAULT_TOKEN=its own"])
    }

    @Test("Only one source file starts programs, and it removes secrets from their environment")
    func onePlace() throws {
        let starts = ["Process()", "posix_spawn(", "posix_spawnp(", "execv", "popen("]
        let files = try Repository.paths(below: "Sources", ending: ".swift").filter { path in
            let text = try Repository.text("Sources/\(path)")
            return starts.contains { text.contains($0) }
        }
        #expect(files == ["PledgeCommand/Terminal/ChildProcess.swift"])
    }
}
