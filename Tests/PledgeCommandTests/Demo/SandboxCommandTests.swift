import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeBatch
@testable import PledgeCommand
@testable import PledgeServer

@Suite("`pledge sandbox`", .serialized)
struct SandboxCommandTests {
    @Test("The sandbox reports its address, accepts only the tokens of its accounts, and ends when interrupted")
    func serves() async throws {
        let folder = try TemporaryFolder()
        let sandbox = try SandboxRun("--accounts", "3", "--accounts-file", folder.path("accounts.jsonl"))
        let ready = sandbox.ready
        #expect(ready.accounts == 3 && ready.tokens == ["exist": "exist-N", "mydatahelps": "participant-N"])
        #expect(folder.lines("accounts.jsonl").count == 3)
        let addresses = ["EXIST_BASE_URL": "\(ready.exist)", "MYDATAHELPS_BASE_URL": "\(ready.mydatahelps)"]
        for (command, name, token, person) in [
            ("profile --json", "EXIST_TOKEN", "exist-3", "\"user-3\""), ("profile", "EXIST_TOKEN", "exist-4", nil),
            ("profile --mydatahelps --json", "MYDATAHELPS_TOKEN", "participant-3", "Maya"),
        ] as [(String, String, String, String?)] {
            let run = try await Tool.run(command, addresses.adding([name: token]), exits: person == nil ? 1 : 0)
            #expect(person.map(run.output.contains) != false, "\(run.output)")
        }
        sandbox.run.interrupt()
        await sandbox.run.end(0)
        let gone = addresses.adding(["EXIST_TOKEN": "exist-1"])
        try await Tool.run("profile", gone, clock: .jumping(), exits: 1, saying: "no connection")
    }

    @Test("Faults occur at the requested rates, and are the same for the same seed")
    func faults() throws {
        let mix = try FaultMix("503=0.25,drop=0.25,all=0.16")
        func count(seed: UInt64) -> [String: Int] {
            var generator = SplitMix64(state: seed)
            return (0..<10_000).reduce(into: [:]) { counts, _ in
                counts[mix.fault(at: .random(in: 0..<1, using: &generator))?.key ?? "none", default: 0] += 1
            }
        }
        let counts = count(seed: 1)
        #expect(counts == count(seed: 1) && counts != count(seed: 2))
        #expect(2_300...2_900 ~= counts["503", default: 0] && 2_300...2_900 ~= counts["drop", default: 0])
        #expect(3_200...3_600 ~= counts["none", default: 0])
        #expect(FaultMix.kinds.allSatisfy { counts[$0.key, default: 0] > 50 })
    }

    @Test("Each kind of fault has the expected status code, headers, and length of body")
    func kinds() throws {
        let request = try ServerRequest(line: Array("GET /here?a=1 HTTP/1.1".utf8)[...], connection: 1)
        let responses = FaultMix.kinds.map { kind, respond in
            let response = respond(request)
            let headers = ["Content-Type", "Location", "Retry-After"].compactMap { response.headers[$0] }
            return ([kind, "\(response.status)"] + headers + ["\(response.body.count)"]).joined(separator: " ")
        }
        let json = "application/json"
        #expect(
            responses == [
                "401 401 \(json) 37", "403 403 \(json) 37", "404 404 \(json) 37", "409 409 \(json) 37",
                "429 429 \(json) 1 37", "429-bare 429 0", "500 500 \(json) 37", "502 502 text/html 24",
                "503 503 \(json) 1 37", "html 200 text/html 37", "empty 200 0", "cut 200 \(json) 26",
                "other 200 \(json) 2", "redirect 307 https://elsewhere.example/ 0", "circle 301 /here?a=1 0",
                "drop 0 0",
            ])
    }

    @Test("With --faults, the requested share of requests gets faults, and these are the same requests in every run")
    func faulty() async throws {
        let sandbox = try SandboxRun("--faults", "503=0.5")
        let existAPI = ExistAPI(
            token: "exist-1", timeout: 600, baseURL: sandbox.ready.exist,
            options: ExistAPI.defaultOptions.with { $0.retry = .never })
        var outcomes = ""
        for _ in 0..<16 {
            let error = await thrown(ExistError.self) { try await existAPI.user().value }
            outcomes += error.map { $0.exchange?.status == 503 ? "x" : "?" } ?? "."
        }
        #expect(outcomes == "xx.x.x.x.x.....x")
        try await sandbox.end()
    }

    @Test("The sandbox delays its responses and limits each token as its options say")
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

    @Test("A sandbox with --listen has new tokens at each start, and clients must allow plain HTTP to its host")
    func listens() async throws {
        try await Tool.run(["sandbox", "--listen", ""], exits: 64, saying: "--listen needs a host")
        let folder = try TemporaryFolder()
        let file = folder.path("accounts.jsonl")
        // 127.1 is another notation of 127.0.0.1, but clients don't recognize it as this machine.
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
        let named = ["PLEDGE_PLAIN_HTTP_HOSTS": "sandbox,127.1"]
        let addresses = ["EXIST_BASE_URL": "\(ready.exist)", "MYDATAHELPS_BASE_URL": "\(ready.mydatahelps)"]
        try await Tool.run(
            "profile", addresses.adding(["EXIST_TOKEN": own]), exits: 64, saying: "PLEDGE_PLAIN_HTTP_HOSTS")
        for (exist, participant, code) in [
            (own, token(sandbox, "mydatahelps"), 0), (others, token(other, "mydatahelps"), 1),
            ("exist-1", "participant-1", 1), (ExistSandbox().token, MyDataHelpsSandbox().token, 1),
        ] as [(String, String, Int32)] {
            let environment = addresses.adding(named).adding(["EXIST_TOKEN": exist, "MYDATAHELPS_TOKEN": participant])
            for command in ["profile", "profile --mydatahelps"] {
                try await Tool.run(command, environment, exits: code)
            }
        }
        let check = ["export", file, "--check", "--outage-wait", "0"]
        try await Tool.run(check, exits: 64, saying: "PLEDGE_PLAIN_HTTP_HOSTS")
        try await Tool.run(check, named)
        try await sandbox.end()
        try await other.end()
    }

    @Test(
        "A sandbox fails with a one-line error if its port is in use, and ends when the program that started it ends")
    func taken() async throws {
        let sandbox = try SandboxRun()
        let second = try await Tool.run(["sandbox", "--port", "\(sandbox.ready.exist.port ?? 0)"], exits: 1)
        #expect(second.errors.split(separator: "\n").count == 1)
        try await sandbox.end()
    }
}
