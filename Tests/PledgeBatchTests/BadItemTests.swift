import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP
import PledgeTestSupport
import Testing

@testable import PledgeBatch

/// Several nights of a job in which some items always fail, with or without outages of the service.
private struct BadItemNights {
    enum Place: CaseIterable { case front, end, everywhere }

    struct Outage {
        var from: Double
        var to: Double
        var outcome: AttemptOutcome.Kind
    }

    let seed: UInt64
    var rules = BatchRules()
    var count: Int
    var bad: Set<Int>
    /// Whether a night processes only the items without a result and some new items, instead of all items again.
    var keepsResults: Bool
    /// The number of requests that each item sends, and how many of them succeed for a bad item.
    var (requests, answered) = (1, 0)
    var hasOutages: Bool
    private var generator: SeededGenerator

    init(seed: UInt64, share: Double, place: Place, hasOutages: Bool) {
        var generator = SeededGenerator(seed: seed)
        count = [60, 200, Rounds.isLong ? 1000 : 400][Int.random(in: 0..<3, using: &generator)]
        let most = max(1, Int((share * Double(count)).rounded()))
        bad =
            switch place {
            case .front: Set(0..<most)
            case .end: Set(count - most..<count)
            case .everywhere: Set((0..<count).shuffled(using: &generator).prefix(most))
            }
        keepsResults = Bool.random(using: &generator)
        requests = Int.random(in: 1...3, using: &generator)
        answered = Int.random(in: 0..<requests, using: &generator)
        rules.inFlight = [4, 16, 16, 64][Int.random(in: 0..<4, using: &generator)]
        (self.seed, self.hasOutages, self.generator) = (seed, hasOutages, generator)
    }

    /// Returns the maximum number of requests that may be sent in an outage before it is noticed, including the
    /// requests that were in progress when the service last answered.
    static func mostRequests(_ rules: BatchRules) -> Int {
        (rules.suspects - 1) * rules.attempts + 1 + rules.inFlight
    }

    /// Plays this many nights, and describes everything that went wrong.
    mutating func live(nights: Int) -> [String] {
        var (done, failed, faults): (Set<Int>, Set<Int>, [String]) = ([], [], [])
        for night in 0..<nights {
            let items = (0..<count + (keepsResults ? 50 * night : 0)).filter { !keepsResults || !done.contains($0) }
            let good = Set(items).subtracting(bad)
            let from = Double.random(in: 0...20, using: &generator)
            let outage =
                hasOutages
                ? Outage(
                    from: from, to: from + [5, 60, 300, 7200][Int.random(in: 0..<4, using: &generator)],
                    outcome: Bool.random(using: &generator) ? .fault : .unsent) : nil
            var stage = PlayedSchedule(
                rules,
                items.map {
                    ($0, Schedule.Quota(service: "s", token: HashKey(high: 1, low: UInt64($0)), limit: nil))
                }, seed: seed, failedBefore: failed
            ) { [bad, answered] item, number, time in
                if let outage, outage.from <= time, time < outage.to { return AttemptOutcome(outage.outcome) }
                return AttemptOutcome(bad.contains(item) && number >= answered ? .fault : .answered)
            }
            stage.requests = requests
            stage.play()
            let name = "night \(night)"
            let missing = good.subtracting(stage.succeeded)
            let isLong = outage.map { $0.to - $0.from > 900 } == true
            if !missing.isEmpty, !isLong {
                faults.append("\(name): \(missing.count) of \(good.count) good items did not get through")
            }
            if let outage, let sent = unnoticed(outage, stage, among: good.subtracting(failed)) {
                faults.append("\(name): the outage was noticed after \(sent) requests")
            }
            let isGone = stage.notices.contains { if case .gone = $0 { true } else { false } }
            if outage == nil, isGone, bad.intersection(items).subtracting(failed).count < rules.suspects {
                faults.append("\(name): the service was given up, although only the same items fail as before")
            }
            done.formUnion(stage.succeeded)
            failed = Set(stage.ended.keys).subtracting(stage.succeeded)
        }
        return faults
    }

    /// Returns the number of requests that were sent before an outage was noticed, if that number is too high; nil
    /// otherwise. If only few good items were left, any number is accepted.
    private func unnoticed(_ outage: Outage, _ stage: PlayedSchedule, among good: Set<Int>) -> Int? {
        let left = good.filter { stage.ended[$0].map { $0 > outage.from } ?? true }
        guard left.count >= rules.inFlight + rules.suspects else { return nil }
        var noticed: Double?
        for (notice, time) in zip(stage.notices, stage.noticeTimes) {
            if time >= outage.from, noticed != nil { break }
            switch notice {
            case .down: noticed = time
            case .up: noticed = nil
            case .probe, .gone: break
            }
        }
        let end = min(noticed ?? .infinity, outage.to)
        let sent = stage.sent.count { outage.from <= $0.time && $0.time <= end }
        return sent > Self.mostRequests(rules) ? sent : nil
    }
}

@Suite("Items that always fail")
struct BadItemTests {
    @Test(
        "Even if nine in ten items always fail, each night completes all other items, and outages are noticed",
        arguments: BadItemNights.Place.allCases, [false, true])
    private func nights(place: BadItemNights.Place, hasOutages: Bool) {
        let seeds = 1...UInt64(Rounds.count(usual: 4))
        print("bad items: seeds \(seeds)")
        for seed in seeds {
            for share in [0.01, 0.03, 0.1, 0.3, 0.6, 0.9] {
                var nights = BadItemNights(seed: seed, share: share, place: place, hasOutages: hasOutages)
                let faults = nights.live(nights: 4)
                #expect(faults.isEmpty, "seed \(seed), a share of \(share) of \(nights.count): \(faults)")
            }
        }
    }

    private func owner(_ item: Int, service: String = "s") -> Schedule.Quota {
        Schedule.Quota(service: service, token: HashKey(high: 1, low: UInt64(item)), limit: nil)
    }

    @Test("Items that failed in the previous run come after all others, and are not taken for an outage")
    func comesLast() {
        let failed = Set((0..<100).filter { $0 % 3 == 0 })
        var stage = PlayedSchedule(.init(), (0..<100).map { ($0, owner($0)) }, seed: 1, failedBefore: failed) {
            item, _, _ in AttemptOutcome(failed.contains(item) ? .fault : .answered)
        }
        stage.play()
        let order = stage.sent.map { failed.contains($0.item) }
        #expect(order == order.sorted { !$0 && $1 } && order.count == 66 + 34 * stage.schedule.rules.attempts)
        #expect(stage.notices.isEmpty && stage.succeeded.count == 66 && stage.ended.count == 100)
    }

    @Test(
        "If no further items may wait, items that failed in the previous run start early; a stop abandons waiting items"
    )
    func deferred() {
        var stage = PlayedSchedule(
            .changed { $0.mostParked = 10 }, (0..<30).map { ($0, owner($0)) }, seed: 1, failedBefore: Set(0..<20)
        ) { _, _, _ in AttemptOutcome(.answered) }
        stage.play()
        #expect(stage.succeeded.count == 30)
        var schedule = Schedule(.init(), seed: 1)
        schedule.add(1, owner(1), failedBefore: true, now: 0)
        #expect(schedule.actions.takeAll() == [] && schedule.parked == 1)
        schedule.stop()
        #expect(schedule.actions.takeAll() == [.abandon(1)])
    }

    @Test("An unreachable service is noticed even if all items failed in the previous run")
    func unreachable() {
        var stage = PlayedSchedule(.init(), (0..<9).map { ($0, owner($0)) }, seed: 1, failedBefore: Set(0..<9)) {
            _, _, _ in AttemptOutcome(.unsent)
        }
        stage.play()
        #expect(stage.notices.first == .down(service: "s") && stage.abandoned.count == 9)
    }

    @Test(
        "An item that fails twice while the service answers others is retried after all items that haven't started yet")
    func secondFailure() {
        var stage = PlayedSchedule(
            .changed { $0.inFlight = 2 }, (0..<200).map { ($0, owner($0)) }, seed: 1
        ) { item, _, _ in AttemptOutcome(item == 0 ? .fault : .answered) }
        stage.play()
        let times = stage.sent.filter { $0.item == 0 }.map(\.time)
        #expect(times.count == 5 && times[1] < 2 && times[2] >= (stage.sent.last { $0.item != 0 }?.time ?? 0))
    }

    @Test("When a service is given up, items for which it failed get an error, and all other items are abandoned")
    func givenUp() {
        let stage = {
            var stage = PlayedSchedule(.init(), (0..<400).map { ($0, owner($0)) }, seed: 1) { _, _, _ in
                AttemptOutcome(.fault)
            }
            stage.play()
            return stage
        }()
        #expect(stage.notices.last == .gone(service: "s", after: 900))
        #expect(Set(stage.ended.keys) == Set(stage.sent.map(\.item)) && !stage.ended.isEmpty)
        #expect(stage.ended.count + stage.abandoned.count == 400 && stage.abandoned.count > 100)
    }

    /// Runs a batch like a nightly job, with its results in a file.
    @Test("If the first items always fail, a job completes all others in the first night, and new ones later")
    func job() async throws {
        struct Failing: HTTPTransport {
            let sent = Recorder<String>()
            func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
                let name = request.url.lastPathComponent
                sent.append(name)
                return .value(
                    RawResponse(
                        url: request.url, status: (Int(name) ?? 0) < 31 ? 500 : 200, headers: [:], body: Data("7".utf8))
                )
            }
        }
        let folder = try TemporaryFolder()
        let path = folder.path("r.jsonl")
        for night in 0..<3 {
            let (clock, transport, count) = (ManualTimekeeper(), Failing(), 200 + 20 * night)
            let file = try ResultsFile<Int>(path)
            let batch = Batch(0..<count, over: transport, clock: clock.timekeeper, seed: 1) { _ in
                BatchLimit(service: "s")
            } work: { item, slot in
                let base = try #require(URL(string: "https://s.example"))
                return EndpointClient(baseURL: base, authorizer: .none, options: slot.options(.init()))
                    .value(of: Endpoint<Int>(.get, "\(item)"))
            }
            let end = batch.run(storingIn: file, by: { "\($0)" })
            while end.isPending {
                await Wait.until { !end.isPending || batch.engine.state.withLock { $0.schedule.atWork == 0 } }
                clock.advance(by: 1)
            }
            let tally = try await end.value
            #expect(tally.failed == 31 && tally.givenUp == 0 && tally.down.isEmpty && file.count == count - 31)
            if night > 0 {
                #expect(tally.outages == 0 && transport.sent.all.prefix(20).allSatisfy { (Int($0) ?? 0) >= 200 })
            }
            try await file.close().value
        }
        let lines = folder.text("r.jsonl").split(separator: "\n")
        #expect(lines.count == 240 && lines.count { $0.hasSuffix(#","outcome":"failed"}"#) } == 31)
        var read = 0
        try ResultsFile<Int>.forEach(in: path) { _, _ in read += 1 }
        #expect(read == 209)
    }
}
