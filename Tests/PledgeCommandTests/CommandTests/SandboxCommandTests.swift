import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

@testable import PledgeBatch
@testable import PledgeCommand

@Suite("`pledge sandbox`", .serialized)
struct SandboxCommandTests {
    private struct Ready: Decodable {
        var accounts: Int
        var exist: URL
        var mydatahelps: URL
        var tokens: [String: String]
    }

    /// Starts the sandbox, and waits until it reports that it is ready.
    private func start(_ arguments: [String]) throws -> (process: ToolRun, ready: Ready, input: Pipe) {
        let (input, output) = (Pipe(), Pipe())
        let process = try ToolRun(
            ["sandbox"] + arguments, from: input.fileHandleForReading, output: output.fileHandleForWriting)
        try output.fileHandleForWriting.close()
        let line = output.fileHandleForReading.availableData
        return (process, try JSONDecoder().decode(Ready.self, from: line), input)
    }

    @Test("The sandbox reports its address, accepts every account, and ends with an interrupt")
    func serves() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("accounts.jsonl")
        let (process, ready, input) = try start(["--accounts", "3", "--accounts-file", file])

        let existAPI = ExistAPI(token: "exist-3", timeout: 600, baseURL: ready.exist)
        let session = ParticipantSession(
            client: MyDataHelpsClient(baseURL: ready.mydatahelps),
            accessToken: ParticipantAccessToken(token: "participant-3"))
        let (user, participant) = try await when(fulfilled: existAPI.user(), session.getParticipantInfo()).value
        let stranger = await ExistAPI(token: "exist-4", timeout: 600, baseURL: ready.exist).user().settled().value.map {
            _ in ()
        }

        #expect(ready.accounts == 3 && ready.tokens == ["exist": "exist-N", "mydatahelps": "participant-N"])
        #expect(user.user.username == "user-3" && participant.demographics.firstName == "Maya")
        #expect(throws: ExistError.self) { try stranger.get() }
        #expect(folder.lines("accounts.jsonl").count == 3)

        process.interrupt()
        #expect(await process.end() == 0)
        try input.fileHandleForWriting.close()
    }

    @Test("The sandbox ends with the program that started it")
    func endsWithItsParent() async throws {
        let (process, _, input) = try start([])
        try input.fileHandleForWriting.close()

        #expect(await process.end() == 0)
    }

    @Test("Faults occur at the requested rates, and are the same for the same seed")
    func faults() throws {
        let mix = try FaultMix("503=0.25,drop=0.25,all=0.16")
        func count(seed: UInt64) -> [String: Int] {
            var dice = Dice(state: seed)
            return (0..<10_000).reduce(into: [:]) { counts, _ in
                counts[mix.fault(at: .random(in: 0..<1, using: &dice))?.rawValue ?? "none", default: 0] += 1
            }
        }
        let counts = count(seed: 1)

        #expect(counts == count(seed: 1) && counts != count(seed: 2))
        #expect(2_300...2_900 ~= counts["503", default: 0] && 2_300...2_900 ~= counts["drop", default: 0])
        #expect(3_200...3_600 ~= counts["none", default: 0])
        #expect(FaultMix.Kind.allCases.allSatisfy { counts[$0.rawValue, default: 0] > 50 })
    }

    @Test(
        "Invalid arguments are explained, with exit code 64",
        arguments: [
            (["--port", "70000"], "from 0 to 65535"), (["--faults", "503"], "shares such as"),
            (["--faults", "418=0.1"], "no fault “418”"), (["--faults", "all=0.9,drop=0.9"], "more than 1"),
            (["now"], "“now”"), (["--loud"], "no option “--loud”"),
        ])
    func usage(arguments: [String], words: String) async throws {
        let run = try await Tool.run(["sandbox"] + arguments)

        #expect(run.status == 64)
        #expect(run.errors.contains(words), "\(run.errors)")
    }

    @Test("A port in use is explained in one line, and help is printed on request")
    func taken() async throws {
        let (process, ready, input) = try start([])
        let second = try await Tool.run(["sandbox", "--port", "\(ready.exist.port ?? 0)"])
        let help = try await Tool.run(["sandbox", "--help"])

        #expect(second.status == 1 && second.errors.split(separator: "\n").count == 1)
        #expect(help.status == 0 && help.output.contains("--faults"))
        try input.fileHandleForWriting.close()
        #expect(await process.end() == 0)
    }
}
