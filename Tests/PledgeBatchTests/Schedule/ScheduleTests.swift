import PledgeHTTP
import Testing

@testable import PledgeBatch

/// Any accounts and responses, on a clock that jumps to the next event.
private struct Stage {
    var schedule: Schedule
    var now = 0.0
    /// The outcome of every request, given the account and how many it has sent before.
    var reply: (Schedule.Item, Int) -> Attempt
    var requests = 1
    private(set) var sent: [(item: Schedule.Item, time: Double)] = []
    private(set) var ended: [Schedule.Item: Double] = [:]
    private(set) var refused: [Schedule.Item: Double] = [:]
    private(set) var abandoned: [Schedule.Item] = []
    private(set) var notices: [Schedule.Notice] = []
    private var replies = TimerHeap<(Schedule.Item, Attempt)>()
    private var left: [Schedule.Item: Int] = [:]
    private var counts: [Schedule.Item: AttemptCount] = [:]
    private var unread: ArraySlice<(item: Schedule.Item, owner: Schedule.Owner)>

    init(
        _ rules: Schedule.Rules, _ accounts: [(item: Schedule.Item, owner: Schedule.Owner)],
        reply: @escaping (Schedule.Item, Int) -> Attempt = { _, _ in Attempt(.answered) }
    ) {
        schedule = Schedule(rules, seed: 1)
        unread = accounts[...]
        self.reply = reply
    }

    /// Runs until nothing more happens before that time.
    mutating func play(until end: Double = .infinity) {
        for step in 0... {
            guard step < 1_000_000 else {
                Issue.record("it never ends")
                return
            }
            act()
            if schedule.isIdle, unread.isEmpty || schedule.isStopped { return }
            guard let next = [replies.next, schedule.alarm].compactMap({ $0 }).min(), next < end else { return }
            now = max(now, next)
            while let (item, attempt) = replies.popDue(by: now) {
                let again = schedule.record(attempt, of: item, &counts[item, default: AttemptCount()], now: now)
                if let again { schedule.ask(item, notBefore: again.time, now: now) } else { proceed(item, attempt) }
                act()
            }
            schedule.advance(to: now)
        }
    }

    private mutating func proceed(_ item: Schedule.Item, _ attempt: Attempt) {
        left[item, default: requests] -= 1
        counts[item] = nil
        if attempt.outcome == .answered, left[item, default: 0] > 0 {
            schedule.ask(item, now: now)
        } else {
            ended[item] = now
            schedule.end(item, now: now)
        }
    }

    private mutating func act() {
        while true {
            while schedule.wantsMore, let (item, owner) = unread.popFirst() { schedule.add(item, owner, now: now) }
            let actions = schedule.takeActions()
            guard !actions.isEmpty else { return }
            guard sent.count < 20_000 else {
                Issue.record("it sends without an end")
                return
            }
            for action in actions {
                switch action {
                case .begin(let item): schedule.ask(item, now: now)
                case .send(let item):
                    let attempt = reply(item, sent.count { $0.item == item })
                    sent.append((item, now))
                    replies.set((item, attempt), at: now + 0.1)
                case .refuse(let item, let seconds):
                    refused[item] = seconds
                    schedule.end(item, now: now)
                case .abandon(let item):
                    abandoned.append(item)
                    schedule.end(item, now: now)
                case .report(let notice): notices.append(notice)
                }
            }
        }
    }
}

@Suite("The schedule of a batch")
struct ScheduleTests {
    private func accounts(
        _ items: some Sequence<Int>, limit: Int? = nil, service: Schedule.Service = "exist",
        token: (Int) -> Int = { $0 }
    ) -> [(item: Schedule.Item, owner: Schedule.Owner)] {
        items.map {
            ($0, Schedule.Owner(service: service, token: HashKey(high: 1, low: UInt64(token($0))), limit: limit))
        }
    }

    @Test("A hundred limited accounts do not delay a thousand healthy ones after them, which send as many requests")
    func parked() throws {
        var rules = Schedule.Rules()
        rules.inFlight = 8
        let healthy = accounts(1000..<2000)
        var alone = Stage(rules, healthy)
        alone.requests = 5
        alone.play()
        var together = Stage(rules, accounts(0..<100) + healthy) { item, number in
            Attempt(item < 100 && number == 0 ? .limited : .answered)
        }
        together.requests = 5
        together.play()

        let (before, after) = (
            alone.ended.values.max() ?? 0, together.ended.filter { $0.key >= 1000 }.values.max() ?? 0
        )
        // The limited ones have one request each to find out: 100 of 5,100, eight at a time.
        #expect(after <= before + 0.1 * 100 / 8 + 0.2, "\(before) s alone, \(after) s together")
        #expect(together.sent.filter { $0.item >= 1000 }.count == alone.sent.count)
        #expect(together.ended.count == 1100)
        #expect(together.sent.filter { $0.item < 100 }.dropFirst(100).allSatisfy { $0.time >= 900 })
    }

    @Test("A limit belongs to a token: three accounts with one token send no more than one account would")
    func tokens() throws {
        var stage = Stage(Schedule.Rules(), accounts(0..<3, limit: 3) { _ in 7 } + accounts(3..<4, limit: 3))
        stage.requests = 2
        stage.play()

        let times = stage.sent.filter { $0.item < 3 }.map(\.time)
        #expect(times.count == 6 && times.filter { $0 < 3600 }.count == 3)
        #expect(stage.sent.filter { $0.item == 3 }.allSatisfy { $0.time < 1 }, "another token has its own limit")
    }

    @Test("What a token has sent counts for an account that comes later, until the hour is over")
    func rested() {
        var rules = Schedule.Rules()
        rules.inFlight = 1
        var stage = Stage(rules, accounts(0..<4, limit: 2) { $0 == 3 ? 0 : $0 })
        stage.requests = 2
        stage.play()

        let late = stage.sent.filter { $0.item == 3 }.map(\.time)
        #expect(late.count == 2 && late.allSatisfy { $0 >= 3600 }, "\(late)")
    }

    @Test("Nothing is kept of a token that no other account can have", arguments: [true, false])
    func unshared(isShared: Bool) {
        var owners = accounts(0..<100, limit: 2)
        for index in owners.indices { owners[index].owner.isShared = isShared }
        var stage = Stage(Schedule.Rules(), owners)
        stage.play()
        #expect(stage.ended.count == 100 && stage.schedule.unused.count == (isShared ? 100 : 0))
    }

    @Test("Every fault of a service and every limit is retried, and nothing else")
    func statuses() {
        #expect((100...999).filter(BatchRules().retry.statuses.contains) == [408, 425, 429] + Array(500...999))
    }

    @Test("The tokens whose use is remembered are looked through only when there are twice as many, not with each")
    func mostUnused() {
        var (schedule, looks) = (Schedule(Schedule.Rules(), seed: 1), 0)
        var window = SlidingWindow(limit: nil, period: 3600, longestClosing: 3600)
        _ = window.close(for: 3600, now: 0)
        for number in 0..<20_000 {
            let most = schedule.mostUnused
            schedule.remember(window, of: HashKey("\(number)"), 0)
            if schedule.mostUnused != most { looks += 1 }
        }
        #expect(looks == 3 && schedule.mostUnused > schedule.unused.count)
    }

    @Test("Each rule of a batch decides what it says")
    func rules() {
        // A figure of a run of accounts with all rules as they are by default, and with one that is changed.
        typealias Row = (
            change: (inout BatchRules) -> Void, figure: (BatchRules) -> Double, usual: Double, changed: Double
        )
        func played(
            _ rules: BatchRules, _ count: Int, limit: Int? = nil, sharing isShared: Bool = false, requests: Int = 1,
            until end: Double = .infinity,
            reply: @escaping (Schedule.Item, Int) -> Attempt = { _, _ in Attempt(.answered) }
        ) -> Stage {
            var stage = Stage(rules, accounts(0..<count, limit: limit) { isShared ? 0 : $0 }, reply: reply)
            stage.requests = requests
            stage.play(until: end)
            return stage
        }
        let rows: [String: Row] = [
            "inFlight": ({ $0.inFlight = 2 }, { Double(played($0, 40, until: 0.05).sent.count) }, 16, 2),
            "totalRate": ({ $0.totalRate = 1800 }, { played($0, 3).sent.last?.time ?? -1 }, 0, 4),
            "longestWait": (
                { $0.longestWait = 3599 }, { Double(played($0, 1, limit: 1, requests: 2).refused.count) }, 0, 1
            ),
            "outageWait": (
                { $0.outageWait = 60 },
                { rules in
                    played(rules, 9) { _, _ in Attempt(.unsent) }.notices.lazy.compactMap { notice in
                        if case .gone(_, let seconds) = notice { seconds.rounded() } else { nil }
                    }.first ?? -1
                }, 900, 60
            ),
            "limitDelay": (
                { $0.limitDelay = 30 },
                { played($0, 1) { Attempt($1 == 0 ? .limited : .answered) }.sent.last?.time.rounded() ?? -1 }, 900, 30
            ),
            "attempts": ({ $0.attempts = 2 }, { Double(played($0, 1) { _, _ in Attempt(.fault) }.sent.count) }, 5, 2),
            "suspects": (
                { $0.suspects = 3 }, { Double(played($0, 3) { _, _ in Attempt(.fault) }.notices.count { $0.isDown }) },
                0, 1
            ),
            "mostParked": (
                { $0.mostParked = 7 },
                { rules in
                    var rules = rules
                    rules.longestWait = 1e9
                    return Double(played(rules, 100, limit: 1, sharing: true, until: 1).schedule.parked)
                }, 99, 7
            ),
        ]
        #expect(Set(Mirror(reflecting: BatchRules()).children.compactMap(\.label)) == Set(rows.keys))
        for (name, row) in rows {
            var rules = BatchRules()
            #expect(row.figure(rules) == row.usual, "\(name) by default")
            row.change(&rules)
            #expect(row.figure(rules) == row.changed, "\(name) changed")
        }
    }

    @Test("Of rules that allow nothing, one account at a time is left, and one request an hour")
    func least() {
        var rules = Schedule.Rules()
        (rules.inFlight, rules.totalRate) = (0, 0)
        var stage = Stage(rules, accounts(0..<2))
        stage.play()
        #expect(stage.sent.map(\.time) == [0, 3600])
    }

    @Test("Two services of a batch may have limits of different periods")
    func periods() {
        let owners = [("minutes", 60.0), ("hours", 3600)].enumerated().map { item, limit in
            (
                item: item,
                owner: Schedule.Owner(
                    service: limit.0, token: HashKey(high: 1, low: UInt64(item)), limit: 1, period: limit.1)
            )
        }
        var stage = Stage(Schedule.Rules(), owners)
        stage.requests = 2
        stage.play()
        let times = [0, 1].map { item in stage.sent.filter { $0.item == item }.map(\.time) }
        #expect(times[0][1] - times[0][0] == 60 && times[1][1] - times[1][0] == 3600, "\(times)")
        let item = BatchItem("minutes", nil, limit: 1) { _ in .value(.done) }
        #expect(item.owner.period == 3600 && BatchLimit(service: "minutes").period == 3600)
    }

    @Test("`--wait` limits waits for the tool's own limits, for announced ones, and for those that services request")
    func wait() {
        var rules = Schedule.Rules()
        rules.longestWait = 5
        var own = Stage(rules, accounts(0..<1, limit: 3))
        own.requests = 4
        own.play()
        #expect(own.refused.keys.sorted() == [0] && own.now < 5, "found out at once, not after the wait")

        var announced = Stage(rules, accounts(0..<2) { _ in 0 }) { _, _ in Attempt(.answered, closes: 60) }
        announced.requests = 2
        announced.play()
        #expect(announced.refused.count == 2 && announced.now < 5)

        var asked = Stage(rules, accounts(0..<1)) { _, _ in Attempt(.limited, asking: 2) }
        asked.play()
        #expect(asked.sent.map(\.time).last ?? 0 <= 5 && asked.ended.count == 1, "two waits of 2 s, and no third")

        var liar = Stage(rules, accounts(0..<1)) { _, _ in Attempt(.limited, asking: 0) }
        liar.play()
        #expect(liar.sent.count <= 4 && liar.ended.count == 1, "one that requests no wait is not retried forever")
    }

    @Test("A service that is down gets only one request at growing intervals, and is given up after its time")
    func outage() {
        var stage = Stage(Schedule.Rules(), accounts(0..<600)) { _, _ in Attempt(.unsent) }
        stage.play()

        #expect(
            stage.notices.first == .down(service: "exist") && stage.notices.last == .gone(service: "exist", after: 900))
        #expect(stage.abandoned.count == 600 && stage.ended.isEmpty, "no account has an error")
        #expect(stage.sent.count < 60, "\(stage.sent.count) requests")
        let probes = stage.sent.map(\.time).filter { $0 > 5 }
        let gaps = zip(probes, probes.dropFirst()).map { $1 - $0 }
        #expect(zip(gaps, gaps.dropFirst()).allSatisfy { $1 >= $0 - 0.001 } && gaps.last.map { $0 <= 61 } == true)
        #expect(stage.now <= 901)
    }

    @Test("When the service is back, all accounts continue, and none has an error")
    func back() {
        var stage = Stage(Schedule.Rules(), accounts(0..<100))
        var sent = 0
        stage.reply = { _, _ in
            sent += 1
            return Attempt(sent < 30 ? .fault : .answered)
        }
        stage.play()

        #expect(stage.ended.count == 100 && stage.abandoned.isEmpty)
        #expect(stage.notices.contains { if case .up(service: "exist", _) = $0 { true } else { false } })
    }

    @Test("One service that is down does not delay the other")
    func otherService() {
        let both = (0..<200).map { accounts([$0], service: $0 % 2 == 0 ? "exist" : "mydatahelps")[0] }
        var stage = Stage(Schedule.Rules(), both) { item, _ in
            Attempt(item % 2 == 0 ? .unsent : .answered)
        }
        stage.play(until: 100)
        #expect(stage.ended.count == 100 && stage.ended.keys.allSatisfy { $0 % 2 == 1 })
        stage.play()
        #expect(stage.abandoned.count == 100)
    }

    @Test("An account for which the service always fails is an error, as long as others succeed")
    func poison() {
        var stage = Stage(Schedule.Rules(), accounts(0..<100)) { item, _ in
            Attempt(item == 3 ? .fault : .answered)
        }
        stage.play()

        #expect(stage.ended.count == 100 && stage.notices.isEmpty)
        #expect(stage.sent.filter { $0.item == 3 }.count == 5)
    }

    @Test("An unreadable response is worth one more attempt")
    func garbled() {
        var once = Stage(Schedule.Rules(), accounts(0..<1)) { _, number in Attempt(number == 0 ? .garbled : .answered) }
        once.play()
        var always = Stage(Schedule.Rules(), accounts(0..<1)) { _, _ in Attempt(.garbled) }
        always.play()

        #expect(once.sent.count == 2 && always.sent.count == 2 && always.ended.count == 1)
    }

    @Test("Once stopped, the schedule begins no account, gives up those that wait, and lets those at work finish")
    func stop() {
        var rules = Schedule.Rules()
        rules.inFlight = 4
        var stage = Stage(rules, accounts(0..<20)) { item, _ in Attempt(item < 2 ? .limited : .answered, asking: 60) }
        stage.requests = 3
        stage.play(until: 0.15)
        stage.schedule.stop()
        stage.play()

        #expect(stage.schedule.isIdle && stage.now < 1)
        #expect(stage.abandoned.prefix(2) == [0, 1])
        #expect(stage.ended.count == 4, "\(stage.ended)")
    }

    @Test("Thousands of accounts that wait for one token, and others for theirs, continue in time and in order")
    func many() {
        var rules = Schedule.Rules()
        rules.longestWait = 1e9
        rules.mostParked = 100_000
        var stage = Stage(rules, accounts(0..<2_000, limit: 300) { _ in 0 } + accounts(2_000..<3_000, limit: 300))
        stage.play()

        let order = stage.sent.filter { $0.item < 2_000 }.map(\.item)
        #expect(order == order.sorted() && stage.ended.count == 3_000)
        #expect(stage.now < 7 * 3600)
    }
}

extension Schedule.Notice {
    fileprivate var isDown: Bool { if case .down = self { true } else { false } }
}
