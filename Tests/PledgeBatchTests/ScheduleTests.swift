import PledgeCoding
import PledgeHTTP
import Testing

@testable import PledgeBatch

@Suite("The schedule of a batch")
struct ScheduleTests {
    private typealias Accounts = [(item: Schedule.Item, owner: Schedule.Quota)]

    private func accounts(
        _ items: some Sequence<Int>, limit: Int? = nil, service: Schedule.Service = "exist",
        token: (Int) -> Int = { $0 }
    ) -> Accounts {
        items.map {
            ($0, Schedule.Quota(service: service, token: HashKey(high: 1, low: UInt64(token($0))), limit: limit))
        }
    }

    /// Plays a schedule in which each account sends this many requests, until all accounts have ended or until the
    /// given time.
    private func played(
        _ accounts: Accounts, requests: Int = 1, until end: Double = .infinity, rules: BatchRules = .init(),
        response: @escaping (Schedule.Item, Int) -> AttemptOutcome = { _, _ in AttemptOutcome(.answered) }
    ) -> PlayedSchedule {
        var stage = PlayedSchedule(rules, accounts, response: response)
        stage.requests = requests
        stage.play(until: end)
        return stage
    }

    @Test("A hundred limited accounts don't delay a thousand healthy accounts, and don't make these send more requests")
    func parked() throws {
        let (rules, healthy) = (BatchRules.changed { $0.inFlight = 8 }, accounts(1000..<2000))
        let alone = played(healthy, requests: 5, rules: rules)
        let together = played(accounts(0..<100) + healthy, requests: 5, rules: rules) { item, number in
            AttemptOutcome(item < 100 && number == 0 ? .limited : .answered)
        }
        let before = alone.ended.values.max() ?? 0
        let after = together.ended.filter { $0.key >= 1000 }.values.max() ?? 0
        // The limited accounts delay the healthy ones only by 100 requests, eight at a time: each limited account sends
        // one request, whose response shows the limit.
        #expect(after <= before + 0.1 * 100 / 8 + 0.2, "\(before) s alone, \(after) s together")
        #expect(together.sent.filter { $0.item >= 1000 }.count == alone.sent.count)
        #expect(together.ended.count == 1100)
        #expect(together.sent.filter { $0.item < 100 }.dropFirst(100).allSatisfy { $0.time >= 900 })
    }

    @Test("Requests count toward the limit of later accounts with the same token until the hour is over")
    func rested() {
        let stage = played(
            accounts(0..<4, limit: 2) { $0 == 3 ? 0 : $0 }, requests: 2, rules: .changed { $0.inFlight = 1 })
        let late = stage.sent.filter { $0.item == 3 }.map(\.time)
        #expect(late.count == 2 && late.allSatisfy { $0 >= 3600 }, "\(late)")
    }

    @Test(
        "If no other account can have an account's token, a schedule stores nothing about the token after the account ends",
        arguments: [true, false])
    func unshared(isShared: Bool) {
        var owners = accounts(0..<100, limit: 2)
        for index in owners.indices { owners[index].owner.isShared = isShared }
        let stage = played(owners)
        #expect(stage.ended.count == 100 && stage.schedule.unused.count == (isShared ? 100 : 0))
        #expect(stage.schedule.tokens.isEmpty)
    }

    @Test("A batch retries the statuses 408, 425, 429, and 500 and above, and no others")
    func statuses() {
        #expect((100...999).filter(BatchRules().retry.statuses.contains) == [408, 425, 429] + Array(500...999))
    }

    @Test("A schedule checks its remembered tokens only when their number has doubled, not with each new token")
    func mostUnused() {
        var (schedule, looks) = (Schedule(BatchRules(), seed: 1), 0)
        var window = SlidingWindow(limit: nil, period: 3600, longestClosing: 3600)
        _ = window.close(for: 3600, now: 0)
        for number in 0..<20_000 {
            let most = schedule.mostUnused
            schedule.remember(window, of: HashKey("\(number)"), 0)
            if schedule.mostUnused != most { looks += 1 }
        }
        #expect(looks == 3 && schedule.mostUnused > schedule.unused.count)
    }

    @Test("Each rule of a batch changes how the batch runs")
    func eachRule() {
        // A figure of a run, which has one value with the default rules, and another value with one rule changed.
        typealias Row = (
            change: (inout BatchRules) -> Void, figure: (BatchRules) -> Double, usual: Double, changed: Double
        )
        func faults(_ rules: BatchRules, _ count: Int, _ outcome: AttemptOutcome.Kind = .fault) -> PlayedSchedule {
            played(accounts(0..<count), rules: rules) { _, _ in AttemptOutcome(outcome) }
        }
        let rows: [String: Row] = [
            "inFlight": (
                { $0.inFlight = 2 }, { Double(played(accounts(0..<40), until: 0.05, rules: $0).sent.count) }, 16, 2
            ),
            "totalRate": ({ $0.totalRate = 7200 }, { played(accounts(0..<3), rules: $0).sent.last?.time ?? -1 }, 0, 1),
            "longestWait": (
                { $0.longestWait = 3599 },
                { Double(played(accounts(0..<1, limit: 1), requests: 2, rules: $0).refused.count) }, 0, 1
            ),
            "outageWait": (
                { $0.outageWait = 60 },
                { rules in
                    faults(rules, 9, .unsent).notices.lazy.compactMap { notice in
                        if case .gone(_, let seconds) = notice { seconds.rounded() } else { nil }
                    }.first ?? -1
                }, 900, 60
            ),
            "limitDelay": (
                { $0.limitDelay = 30 },
                { rules in
                    played(accounts(0..<1), rules: rules) { AttemptOutcome($1 == 0 ? .limited : .answered) }.sent.last?
                        .time
                        .rounded() ?? -1
                }, 900, 30
            ),
            "longestWork": (
                { $0.longestWork = 0.05 },
                { played(accounts(0..<1), rules: $0).ended[0] ?? -1 }, 0.1, 0.05
            ),
            "attempts": ({ $0.attempts = 2 }, { Double(faults($0, 1).sent.count) }, 5, 2),
            "suspects": (
                { $0.suspects = 3 }, { rules in Double((1...9).count { faults(rules, $0).notices.isEmpty }) }, 4, 2
            ),
            "mostParked": (
                { $0.mostParked = 7 },
                { rules in
                    var rules = rules
                    rules.longestWait = 1e9
                    return Double(
                        played(accounts(0..<100, limit: 1) { _ in 0 }, until: 1, rules: rules).schedule.parked)
                }, 99, 7
            ),
        ]
        #expect(BatchRules().mostParked == 10_000)
        #expect(Set(Mirror(reflecting: BatchRules()).children.compactMap(\.label)) == Set(rows.keys))
        for (name, row) in rows {
            #expect(row.figure(BatchRules()) == row.usual, "\(name) by default")
            #expect(row.figure(.changed(row.change)) == row.changed, "\(name) changed")
        }
        // Rules that allow nothing still allow one account at a time, and one request an hour.
        let none = BatchRules.changed { ($0.inFlight, $0.totalRate) = (0, 0) }
        #expect(played(accounts(0..<2), rules: none).sent.map(\.time) == [0, 3600])
    }

    @Test("Two services of a batch may have limits of different periods")
    func periods() {
        let owners = [60.0, 3600].enumerated().map { item, period in
            let token = HashKey(high: 1, low: UInt64(item))
            return (item: item, owner: Schedule.Quota(service: "\(period)", token: token, limit: 1, period: period))
        }
        let stage = played(owners, requests: 2)
        let times = [0, 1].map { item in stage.sent.filter { $0.item == item }.map(\.time) }
        // The second request follows one period after the first response, which takes a tenth of a second.
        #expect(times[0][1] - times[0][0] == 60.1 && times[1][1] - times[1][0] == 3600.1, "\(times)")
        let item = BatchItem(BatchLimit(service: "minutes", requests: 1)) { _ in .value(.done()) }
        #expect(item.quota.period == 3600)
    }

    @Test("`longestWait` limits announced waits, and an account that is always told to wait 0 s isn't retried forever")
    func wait() {
        let rules = BatchRules.changed { $0.longestWait = 5 }
        let announced = played(accounts(0..<2) { _ in 0 }, requests: 2, rules: rules) { _, _ in
            AttemptOutcome(.answered, closes: 60)
        }
        #expect(announced.refused.count == 2 && announced.now < 5)
        let liar = played(accounts(0..<1), rules: rules) { _, _ in AttemptOutcome(.limited, asking: 0) }
        #expect(liar.sent.count <= 4 && liar.ended.count == 1)
        #expect(played(accounts(0..<1)) { AttemptOutcome($1 < 9 ? .limited : .answered, asking: 1) }.sent.count == 10)
    }

    @Test("A service that is down gets one request at a time, at growing intervals, and is given up after `outageWait`")
    func outage() {
        let stage = played(accounts(0..<600)) { _, _ in AttemptOutcome(.unsent) }
        #expect(
            stage.notices.first == .down(service: "exist") && stage.notices.last == .gone(service: "exist", after: 900))
        #expect(stage.abandoned.count == 600 && stage.ended.isEmpty, "no account has an error")
        #expect(stage.sent.count < 60, "\(stage.sent.count) requests")
        let probes = stage.sent.map(\.time).filter { $0 > 5 }
        let gaps = zip(probes, probes.dropFirst()).map { $1 - $0 }
        #expect(zip(gaps, gaps.dropFirst()).allSatisfy { $1 >= $0 - 0.001 } && gaps.last.map { $0 <= 61 } == true)
        #expect(stage.now <= 901)
    }

    @Test("When a service is back, all accounts continue without an error")
    func back() {
        var sent = 0
        let stage = played(accounts(0..<100)) { _, _ in
            sent += 1
            return AttemptOutcome(sent < 30 ? .fault : .answered)
        }
        #expect(stage.ended.count == 100 && stage.abandoned.isEmpty)
        #expect(stage.notices.contains { if case .up(service: "exist", _) = $0 { true } else { false } })
    }

    @Test("A service that is down doesn't delay another service")
    func otherService() {
        let both = (0..<200).map { accounts([$0], service: $0 % 2 == 0 ? "exist" : "mydatahelps")[0] }
        var stage = played(both, until: 100) { item, _ in AttemptOutcome(item % 2 == 0 ? .unsent : .answered) }
        #expect(stage.ended.count == 100 && stage.ended.keys.allSatisfy { $0 % 2 == 1 })
        stage.play()
        #expect(stage.abandoned.count == 100)
    }

    @Test("An account for which the service always fails gets an error if other accounts succeed")
    func poison() {
        let stage = played(accounts(0..<100)) { item, _ in AttemptOutcome(item == 3 ? .fault : .answered) }
        #expect(stage.ended.count == 100 && stage.notices.isEmpty)
        #expect(stage.sent.filter { $0.item == 3 }.count == 5)
        #expect(
            played(accounts(0..<1), until: 0.2) { _, _ in AttemptOutcome(.unsent) }.notices.isEmpty, "it may try again")
    }

    @Test(
        "Thousands of accounts that share a token continue in order and on time, and don't delay other tokens"
    )
    func many() {
        let stage = played(
            accounts(0..<2_000, limit: 300) { _ in 0 } + accounts(2_000..<3_000, limit: 300),
            rules: .changed { ($0.longestWait, $0.mostParked) = (1e9, 100_000) })
        let order = stage.sent.filter { $0.item < 2_000 }.map(\.item)
        #expect(order == order.sorted() && stage.ended.count == 3_000)
        #expect(6 * 3600..<7 * 3600 ~= stage.now, "300 an hour")
        #expect(stage.sent.allSatisfy { $0.item < 2_000 || $0.time < 3600 }, "another token has its own limit")
    }
}

extension BatchRules {
    static func changed(_ change: (inout Self) -> Void) -> Self {
        var rules = Self()
        change(&rules)
        return rules
    }
}
