import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Files that decide which tokens are sent", .serialized)
final class StoredSecretTests: ToolSuite {
    init() throws { try super.init(isEmpty: true) }

    @Test("A file of accounts, or of a token, that others may write is refused, whichever way it is named")
    func writableByOthers() async throws {
        _ = sandboxes.line(1)
        try folder.file("token", holding: "secret-exist-1")
        let file = try accounts(#"{"service":"exist","account":"e","token":{"file":"\#(folder.path("token"))"}}"#)
        for (name, code) in [("accounts.jsonl", 1), ("token", 2)] as [(String, Int32)] {
            try #require(chmod(folder.path(name), 0o602) == 0)
            let run = try await export([file, "--sections", "profile"], exits: code)
            #expect((run.errors + run.output).contains("\(name) may be written by others (mode 602)"))
            #expect(sandboxes.server.requests.isEmpty)
            try #require(chmod(folder.path(name), 0o600) == 0)
        }
        try await export([file, "--sections", "profile"])
        try #require(chmod(folder.path("token"), 0o666) == 0)
        let environment = ["EXIST_BASE_URL": sandboxes.server.baseURL.absoluteString]
        try await Tool.run(
            "profile", environment.adding(["EXIST_TOKEN_FILE": folder.path("token")]), exits: 64,
            saying: "token may be written by others")
    }
}
