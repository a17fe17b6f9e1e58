import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeBatch
@testable import PledgeCommand

@Suite("`pledge sandbox`", .serialized)
struct SandboxCommandTests {
    @Test("The sandbox reports its address, accepts every account, and ends with an interrupt")
    func serves() async throws {
        let folder = try TemporaryFolder()
        let sandbox = try SandboxRun("--accounts", "3", "--accounts-file", folder.path("accounts.jsonl"))
        let ready = sandbox.ready

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

        sandbox.run.interrupt()
        await sandbox.run.end(0)
    }

    @Test("Faults occur at the requested rates, and are the same for the same seed")
    func faults() throws {
        let mix = try FaultMix("503=0.25,drop=0.25,all=0.16")
        func count(seed: UInt64) -> [String: Int] {
            var dice = SplitMix64(state: seed)
            return (0..<10_000).reduce(into: [:]) { counts, _ in
                counts[mix.fault(at: .random(in: 0..<1, using: &dice))?.key ?? "none", default: 0] += 1
            }
        }
        let counts = count(seed: 1)

        #expect(counts == count(seed: 1) && counts != count(seed: 2))
        #expect(2_300...2_900 ~= counts["503", default: 0] && 2_300...2_900 ~= counts["drop", default: 0])
        #expect(3_200...3_600 ~= counts["none", default: 0])
        #expect(FaultMix.kinds.allSatisfy { counts[$0.key, default: 0] > 50 })
    }

    @Test("The sandbox delays its replies and limits each token as its options say")
    func delays() async throws {
        let sandbox = try SandboxRun("--latency", "50", "--limit", "1")
        let existAPI = ExistAPI(
            token: "exist-1", timeout: 600, baseURL: sandbox.ready.exist,
            options: ExistAPI.defaultOptions.with { $0.retry = .never })
        let begin = DispatchTime.now()
        _ = try await existAPI.user().value
        #expect(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds >= 50_000_000)
        let second = await existAPI.user().settled().value
        #expect { try second.get() } throws: { ($0 as? ExistError)?.exchange?.status == 429 }
        try await sandbox.end()
    }

    @Test("A sandbox that others can reach has its own tokens at each start, and clients must name it")
    func listens() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("accounts.jsonl")
        // Another notation of 127.0.0.1, which clients take for another machine.
        let sandbox = try SandboxRun("--listen", "127.1", "--accounts", "2", "--accounts-file", file)
        let other = try SandboxRun("--listen", "0.0.0.0")
        let ready = sandbox.ready
        #expect(ready.exist.host == "127.1" && other.ready.exist.host == ProcessInfo.processInfo.hostName)
        #expect(sandbox.run.errors.contains("Only this machine can reach the sandbox"))
        func token(_ run: SandboxRun, _ service: String) -> String {
            (run.ready.tokens[service] ?? "").replacingOccurrences(of: "-N-", with: "-1-")
        }
        let (own, others) = (token(sandbox, "exist"), token(other, "exist"))
        #expect(own.count >= 60 && own != others && ready.client["secret"] != other.ready.client["secret"])
        func exist(_ token: String, _ kind: ExistAPI.TokenKind = .bearer) async throws {
            _ = try await ExistAPI(
                token: token, timeout: 600, kind: kind, baseURL: ready.exist,
                options: ExistAPI.defaultOptions.with {
                    ($0.plainHTTPHosts, $0.transport) = (["127.1"], StandardTransport(.curl))
                }
            ).user().value
        }
        func participant(_ token: String) async throws {
            let options = MyDataHelpsClient.defaultOptions.with {
                ($0.plainHTTPHosts, $0.transport, $0.timeout) = (["127.1"], StandardTransport(.curl), 600)
            }
            _ = try await ParticipantSession(
                client: MyDataHelpsClient(baseURL: ready.mydatahelps, options: options),
                accessToken: ParticipantAccessToken(token: token)
            ).getParticipantInfo().value
        }
        try await exist(own)
        try await participant(token(sandbox, "mydatahelps"))
        for known in ["exist-1", others, ExistSandbox().token] {
            await #expect(throws: ExistError.self) { try await exist(known) }
        }
        await #expect(throws: ExistError.self) { try await exist(ExistSandbox().simpleToken, .simple) }
        for known in ["participant-1", token(other, "mydatahelps"), MyDataHelpsSandbox().token] {
            await #expect(throws: MyDataHelpsError.self) { try await participant(known) }
        }

        let named = ["PLEDGE_PLAIN_HTTP_HOSTS": "sandbox,127.1"]
        let environment = ["EXIST_TOKEN": own, "EXIST_BASE_URL": ready.exist.absoluteString]
        try await Tool.run("profile", environment, exits: 64, saying: "PLEDGE_PLAIN_HTTP_HOSTS")
        try await Tool.run("profile", environment.merging(named) { $1 })
        let check = ["export", file, "--check", "--outage-wait", "0"]
        try await Tool.run(check, exits: 64, saying: "PLEDGE_PLAIN_HTTP_HOSTS")
        try await Tool.run(check, named)
        try await sandbox.end()
        try await other.end()
    }

    @Test("A port in use is explained in one line, and the sandbox ends with the program that started it")
    func taken() async throws {
        let sandbox = try SandboxRun()
        let second = try await Tool.run(["sandbox", "--port", "\(sandbox.ready.exist.port ?? 0)"], exits: 1)
        #expect(second.errors.split(separator: "\n").count == 1)
        try await sandbox.end()
    }
}
