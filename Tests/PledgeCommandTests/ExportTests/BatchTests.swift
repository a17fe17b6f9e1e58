import Foundation
import Pledge
import PledgeHTTP
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// The driver of the schedule, with a transport and a clock for tests.
@Suite("Batches", .serialized)
struct BatchTests {
    private let folder: TemporaryFolder
    private let clock = ManualTimekeeper()

    init() throws { folder = try TemporaryFolder() }

    /// Responds at once with the result of `reply`, and records the requests.
    private final class Service: HTTPTransport {
        let sent = Locked<[String]>([])
        let reply: @Sendable (_ path: String, _ times: Int) -> Result<HTTPReply, any Error>

        init(reply: @escaping @Sendable (_ path: String, _ times: Int) -> Result<HTTPReply, any Error>) {
            self.reply = reply
        }

        func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
            let path = request.url.lastPathComponent
            let times = sent.withLock { sent in
                sent.append(path)
                return sent.count { $0 == path }
            }
            switch reply(path, times) {
            case .success(let reply): return .value(reply)
            case .failure(let error): return Promise(error: error)
            }
        }
    }

    private static func reply(_ status: Int, _ headers: HeaderFields = [:]) -> Result<HTTPReply, any Error> {
        let url = URL(fileURLWithPath: "/")
        return .success(HTTPReply(url: url, status: status, headers: headers, body: Data("{}".utf8)))
    }

    private func batch(
        _ rules: Schedule.Rules, accounts: Int, over service: Service, work: Batch.Work? = nil
    ) throws -> Batch {
        let lines = (1...accounts).map { #"{"service":"exist","account":"a\#($0)","token":"secret-\#($0)"}"# + "\n" }
        try folder.file("in", holding: lines.joined())
        let handle = open(folder.path("in"), O_RDONLY)
        let reader = AccountReader(
            LineReader(limit: 1 << 20, read: SystemFile(handle, named: "accounts").pieces),
            try AccountSieve(shard: nil, environment: [:], servers: BatchServers([:]))
        ) { _ in }
        return Batch(rules, limits: [:], reader, over: service, clock: clock.timekeeper, seed: 1) { slot in
            if let work { return work(slot) }
            let request = OutgoingRequest(
                method: .get, url: URL(fileURLWithPath: "/" + slot.account.id.account), headers: [:], body: nil,
                timeout: 1, bodyLimit: 10)
            return slot.send(request).map(on: nil) { $0.status == 200 ? .done : .failed(kind: "\($0.status)") }
        }
    }

    /// Waits until the batch has reached a state at the current time of the clock.
    private func settle(_ batch: Batch, until isSo: @escaping @Sendable (Tally) -> Bool) async {
        while !isSo(batch.tally) { await Task.yield() }
    }

    @Test("An account that waits is woken by the clock, exactly when its time has come", .timeLimit(.minutes(60)))
    func wakes() async throws {
        let service = Service { path, times in
            path == "a1" && times == 1 ? Self.reply(429, ["Retry-After": "600"]) : Self.reply(200)
        }
        var rules = Schedule.Rules()
        rules.inFlight = 1
        let batch = try batch(rules, accounts: 50, over: service)
        let end = batch.run()
        await settle(batch) { $0.done == 49 }
        #expect(batch.progress(toDo: 50).waiting == 1 && batch.progress(toDo: 50).left == 1)
        #expect(batch.progress(toDo: 50).wake == Date(timeIntervalSince1970: 600))

        clock.advance(by: 599)
        #expect(service.sent.withLock { $0.count } == 50)
        clock.advance(by: 1)
        try await end.value
        #expect(batch.tally.done == 50 && batch.tally.requests == 50 && batch.tally.retries == 1)
        #expect(batch.tally.waits == 1 && batch.tally.waitSeconds == 600)
        #expect(clock.alarmCount == 0)
    }

    @Test("A service that is down is probed by the clock, and left alone after its time", .timeLimit(.minutes(60)))
    func outage() async throws {
        let service = Service { _, _ in .failure(TransportError.unreachable("nobody listens")) }
        let batch = try batch(Schedule.Rules(), accounts: 40, over: service)
        let end = batch.run()
        await settle(batch) { $0.outages == 1 }
        let before = service.sent.withLock { $0.count }
        clock.advance(by: 1000)
        try await end.value

        let probes = service.sent.withLock { $0.count } - before
        #expect(5...30 ~= probes, "\(probes)")
        #expect(batch.tally.left == 40 && batch.tally.failed == 0 && batch.tally.down == [.exist])
    }

    @Test("Stopping ends the waits of all accounts at once, and releases what they hold", .timeLimit(.minutes(60)))
    func stops() async throws {
        let service = Service { _, _ in Self.reply(429) }
        let batch = try batch(Schedule.Rules(), accounts: 100, over: service)
        let end = batch.run()
        await settle(batch) { $0.limited == 100 }
        batch.stop()
        try await end.value

        #expect(batch.tally.left == 100 && clock.alarmCount == 0)
    }

    @Test("An error in the work ends the batch", .timeLimit(.minutes(60)))
    func fails() async throws {
        let service = Service { _, _ in Self.reply(200) }
        let batch = try batch(Schedule.Rules(), accounts: 10, over: service) { _ in
            Promise(error: StopError("the disk is full"))
        }
        await #expect(throws: StopError.self) { try await batch.run().value }
    }
}
