import PledgeCoding
import PledgeHTTP
import Testing

@testable import PledgeBatch

/// A schedule, and a method that returns its actions after some events.
private final class Stage {
    var schedule: Schedule

    init(_ change: (inout BatchRules) -> Void = { _ in }) { schedule = Schedule(.changed(change), seed: 1) }

    func after(_ events: (inout Schedule) -> Void...) -> [Schedule.Action] {
        for event in events { event(&schedule) }
        return schedule.actions.takeAll()
    }

    /// Adds an account, and sends its first request.
    func begin(_ item: Schedule.Item, _ owner: Schedule.Quota) {
        schedule.add(item, owner, now: 0)
        schedule.ask(item, now: 0)
        #expect(schedule.actions.takeAll() == [.begin(item), .send(item)])
    }

    /// Records the outcome of an account's first attempt. If another attempt is allowed, asks for it and returns true.
    func answer(_ item: Schedule.Item, _ attempt: AttemptOutcome, mayRepeat: Bool = true, now: Double = 0) -> Bool {
        var count = AttemptCount()
        guard let again = schedule.record(attempt, of: item, &count, mayRepeat: mayRepeat, now: now) else {
            return false
        }
        schedule.ask(item, after: again, now: now)
        return true
    }
}

extension Schedule {
    fileprivate mutating func add(_ items: ClosedRange<Item>, now: Double = 0, _ owner: (Item) -> Quota) {
        for item in items { add(item, owner(item), now: now) }
    }
}

@Suite("The permits of a schedule")
struct PermitTests {
    private func owner(_ token: Int, limit: Int? = nil) -> Schedule.Quota {
        Schedule.Quota(service: "exist", token: HashKey(high: 0, low: UInt64(token)), limit: limit)
    }

    @Test("If an account ends before it sends, its permit goes to the next account with the same token")
    func ended() {
        let stage = Stage { $0.inFlight = 1 }
        stage.begin(0, owner(0))
        let begun = stage.after(
            { $0.add(1...2) { _ in owner(7, limit: 1) } }, { $0.end(1, now: 0.5) }, { $0.advance(to: 0.5) },
            { $0.end(0, now: 2) })
        #expect(begun == [.begin(2)])
    }

    @Test("After a stop, no account begins, and the accounts that have begun get the permits of abandoned ones")
    func stopped() {
        let stage = Stage { $0.inFlight = 2 }
        stage.begin(0, owner(7, limit: 2))
        #expect(stage.after { $0.add(3, owner(9), now: 0) } == [.begin(3)])
        let left = stage.after(
            { $0.add(1, owner(7, limit: 2), now: 0) }, { $0.stop() }, { $0.add(2, owner(8), now: 0) })
        #expect(left == [.abandon(1), .abandon(2)])
        // Account 3 has begun, but hasn't sent a request yet.
        #expect(stage.after { $0.ask(3, now: 0) } == [.send(3)])
        #expect(!stage.answer(0, AttemptOutcome(.answered)))
        #expect(stage.after { $0.ask(0, now: 1) } == [.send(0)])
        #expect(stage.after { $0.ask(0, after: RetryPause(seconds: 1), now: 2) } == [.abandon(0)])
    }

    @Test("A request that is refused with a 429 is sent again before later requests with the same token")
    func place() {
        let stage = Stage()
        for item in 0...1 { stage.begin(item, owner(7)) }
        #expect(stage.answer(0, AttemptOutcome(.limited, asking: 10)))
        #expect(stage.after { $0.ask(1, now: 1) } == [])
        #expect(stage.after { $0.advance(to: 10) } == [.send(0)])
        // Account 1 can't wait that long. Its waiting request is refused, and so is the next one.
        #expect(!stage.answer(0, AttemptOutcome(.limited, asking: 5_000), now: 10))
        #expect(stage.after { $0.ask(1, now: 10) } == [.refuse(1, seconds: 5_000), .refuse(1, seconds: 5_000)])
    }

    @Test(
        "An account waits up to the longest wait, and is refused if it would have to wait longer",
        arguments: [3_600, 3_599])
    func longest(wait: Double) {
        let stage = Stage { $0.longestWait = wait }
        stage.begin(0, owner(7, limit: 1))
        #expect(!stage.answer(0, AttemptOutcome(.answered)))
        #expect(stage.after { $0.ask(0, now: 0) } == (wait == 3_600 ? [] : [.refuse(0, seconds: 3_600)]))
        #expect(stage.after { $0.advance(to: 3_600) } == (wait == 3_600 ? [.send(0)] : []))
    }

    @Test("An account is refused at once if the accounts ahead of it make its wait too long")
    func longQueue() {
        let stage = Stage { $0.longestWait = 3_600 }
        stage.begin(0, owner(7, limit: 1))
        #expect(stage.after { $0.add(1...2) { _ in owner(7, limit: 1) } } == [.begin(2)])
        let refused = stage.after({ $0.ask(2, now: 0) }, { $0.ask(2, now: 0) })
        #expect(refused == [.refuse(2, seconds: 7_200), .refuse(2, seconds: 7_200)])
        #expect(stage.after({ $0.stop() }, { $0.advance(to: 3_600) }, { $0.stop() }) == [.abandon(1)])
    }

    @Test("An account's waits for retries and for limits together may not exceed the longest wait")
    func retries() {
        let stage = Stage { $0.longestWait = 100 }
        stage.begin(0, owner(0))
        #expect(stage.answer(0, AttemptOutcome(.fault, asking: 30)))
        #expect(stage.after { $0.advance(to: 30) } == [.send(0)])
        #expect(stage.answer(0, AttemptOutcome(.limited, asking: 30), now: 30))
        #expect(stage.after { $0.advance(to: 60) } == [.send(0)])
        #expect(!stage.answer(0, AttemptOutcome(.fault, asking: 41), now: 60))
        #expect(stage.answer(0, AttemptOutcome(.fault, asking: 40), now: 60))
    }

    @Test(
        "When a limit ends, one waiting account goes first; if it succeeds, the others follow before new accounts"
    )
    func overtaking() {
        let stage = Stage()
        stage.begin(0, owner(7))
        #expect(!stage.answer(0, AttemptOutcome(.answered, closes: 10)))
        let begun = stage.after(
            { $0.add(1...2, now: 1) { _ in owner(7) } }, { $0.add(3, owner(7), now: 10) }, { $0.advance(to: 10) })
        #expect(begun == [.begin(1)])
        #expect(stage.after { $0.ask(1, now: 10) } == [.send(1)])
        #expect(!stage.answer(1, AttemptOutcome(.answered), now: 11))
        #expect(stage.schedule.actions.takeAll() == [.begin(2), .begin(3)])
    }

    @Test("An account whose wait is over continues before an account that arrived later begins")
    func returning() {
        let stage = Stage { $0.inFlight = 1 }
        stage.begin(0, owner(0))
        #expect(stage.answer(0, AttemptOutcome(.limited, asking: 1)))
        #expect(stage.after({ $0.add(1...2) { owner($0) } }, { $0.advance(to: 1) }) == [.begin(1)])
        #expect(stage.after { $0.end(1, now: 2) } == [.send(0)])
    }

    @Test("If an account's waiting request is canceled, its next request takes over the permit and needs no other one")
    func takingOver() {
        let stage = Stage { $0.inFlight = 1 }
        stage.begin(0, owner(7, limit: 2))
        #expect(stage.answer(0, AttemptOutcome(.limited, asking: 1)))
        stage.begin(1, owner(1))
        #expect(stage.after { $0.advance(to: 1) } == [])
        // Account 0 may send, but account 1 is at work, and only one account may be at work at a time.
        #expect(stage.after { $0.ask(0, now: 2) } == [])
        #expect(stage.after { $0.end(1, now: 2) } == [.send(0)])
        #expect(stage.schedule.tokens[owner(7).token]?.window.available(now: 2) == 0)
    }

    @Test("An account that begins before its service goes down sends nothing until the service is back")
    func begunBeforeOutage() {
        let stage = Stage { ($0.suspects, $0.inFlight) = (1, 2) }
        stage.begin(0, owner(0))
        #expect(stage.after { $0.add(1...2) { owner($0) } } == [.begin(1)])
        #expect(stage.answer(0, AttemptOutcome(.fault)))
        _ = stage.schedule.actions.takeAll()
        #expect(stage.after { $0.ask(1, now: 0) } == [])
        // Account 0 has failed, but account 1 hasn't. Therefore, account 1 is the first to probe the service.
        #expect(stage.after { $0.advance(to: 1) } == [.report(.probe(service: "exist")), .send(1)])
    }

    /// Returns a schedule whose only account has failed, so that the service is down.
    private func down(mayRepeat: Bool = true) -> Stage {
        let stage = Stage { ($0.suspects, $0.attempts) = (1, 1) }
        stage.begin(0, owner(0))
        #expect(stage.answer(0, AttemptOutcome(.fault), mayRepeat: mayRepeat) == mayRepeat)
        return stage
    }

    @Test("If no account waits for a service that is down, the next account that arrives probes the service")
    func late() {
        let stage = down(mayRepeat: false)
        #expect(stage.after({ $0.end(0, now: 0) }, { $0.advance(to: 1) }) == [.report(.down(service: "exist"))])
        let begun = stage.after({ $0.add(1, owner(1), now: 5) }, { $0.advance(to: 5) })
        #expect(begun == [.report(.probe(service: "exist")), .begin(1)])
        let late = stage.after({ $0.advance(to: 900) }, { $0.add(2, owner(2), now: 900) })
        #expect(late == [.report(.gone(service: "exist", after: 900)), .abandon(2)])
    }

    @Test("If the account that probes a service ends or doesn't succeed, another account probes the service")
    func endedProbe() {
        for outcome in [nil, .fault, .unclear] as [AttemptOutcome.Kind?] {
            let stage = down()
            let probed = stage.after({ $0.add(1, owner(1), now: 0) }, { $0.advance(to: 1) })
            #expect(probed.suffix(2) == [.report(.probe(service: "exist")), .begin(1)])
            #expect(stage.after { $0.ask(1, now: 1) } == [.send(1)])
            outcome.map { _ = stage.answer(1, AttemptOutcome($0), mayRepeat: false, now: 2) }
                ?? stage.schedule.end(1, now: 2)
            #expect(stage.after { $0.advance(to: 4) } == [.report(.probe(service: "exist")), .send(0)])
        }
    }

    @Test("If the request that probes a service is canceled, the same account's next request probes the service")
    func canceledProbe() {
        let stage = down()
        let probed = stage.after { $0.advance(to: 1) }
        #expect(probed.suffix(2) == [.report(.probe(service: "exist")), .send(0)])
        #expect(stage.after { $0.ask(0, now: 2) } == [])
        #expect(stage.after { $0.advance(to: 4) } == [.report(.probe(service: "exist")), .send(0)])
        // An account doesn't fail because its service is down.
        #expect(stage.answer(0, AttemptOutcome(.fault), now: 5))
    }

    @Test("An account with a closed token probes its service later, and each outage may last for the full `outageWait`")
    func outages() {
        let stage = Stage { ($0.suspects, $0.outageWait) = (1, 100) }
        let down = Schedule.Action.report(.down(service: "exist"))
        let probe: [Schedule.Action] = [.report(.probe(service: "exist")), .send(0)]
        stage.begin(0, owner(7))
        #expect(stage.answer(0, AttemptOutcome(.fault, closes: 50), now: 10))
        #expect(stage.after({ $0.advance(to: 11) }, { $0.advance(to: 74) }) == [down] + probe)
        #expect(!stage.answer(0, AttemptOutcome(.answered), now: 75))
        #expect(stage.after { $0.ask(0, now: 80) } == [.report(.up(service: "exist", after: 65)), .send(0)])
        #expect(stage.answer(0, AttemptOutcome(.fault), now: 90))
        #expect(stage.after { $0.advance(to: 110) } == [down] + probe)
        #expect(stage.after { $0.advance(to: 190) } == [.report(.gone(service: "exist", after: 100))])
    }

    @Test("If an account's token closes before the account has probed its service, it probes once the token opens")
    func lateProbe() {
        let stage = Stage { ($0.suspects, $0.inFlight) = (1, 1) }
        stage.begin(0, owner(7))
        #expect(!stage.answer(0, AttemptOutcome(.fault), mayRepeat: false))
        let probed = stage.after({ $0.add(1, owner(7), now: 0) }, { $0.advance(to: 1) })
        #expect(probed == [.report(.down(service: "exist")), .report(.probe(service: "exist"))])
        #expect(!stage.answer(0, AttemptOutcome(.unclear, closes: 50), now: 1))
        // Account 1, which probes a service, begins before account 3, although account 3 was ready earlier.
        let other = { (number: Int) in Schedule.Quota(service: "other", token: owner(number).token) }
        let begun = stage.after(
            { $0.add(2...3, now: 1, other) }, { $0.end(0, now: 1) }, { $0.advance(to: 54) }, { $0.end(2, now: 54) })
        #expect(begun == [.begin(2), .report(.probe(service: "exist")), .begin(1)])
    }

    @Test(
        "If an account is abandoned just when it may send, its permit is returned only once",
        arguments: [true, false])
    func givenBackOnce(isStopped: Bool) {
        let stage = Stage { ($0.totalRate, $0.suspects, $0.outageWait) = (360, 1, 5) }
        stage.begin(0, owner(0))
        #expect(stage.after { $0.add(1, owner(7, limit: 2), now: 0) } == [])
        if isStopped { stage.schedule.stop() } else { _ = stage.answer(0, AttemptOutcome(.fault), mayRepeat: false) }
        let notices: [Schedule.Notice] = isStopped ? [] : [.down(service: "exist"), .gone(service: "exist", after: 5)]
        let givenUp = stage.after({ $0.advance(to: 5) }, { $0.advance(to: 10) })
        #expect(givenUp == notices.map { .report($0) } + [.abandon(1)])
        #expect(stage.schedule.tokens[owner(7).token]?.window.available(now: 10) == 2)
    }

    @Test("The next wake is when a waiting account may continue, not when a timer without an effect is due")
    func nextWake() {
        let stage = down()
        #expect(stage.schedule.nextWake == 1, "the account probes the service")
        _ = stage.after { $0.advance(to: 1) }
        #expect(stage.schedule.nextWake == nil, "the probe has no outcome yet")
        // The service is up again. The timer after which it would have been given up is due at 900.
        #expect(stage.answer(0, AttemptOutcome(.limited, asking: 2_000), now: 2))
        #expect(stage.schedule.nextWake == 2_002)
        // An account at work doesn't wait, although its work is limited to 10 seconds.
        let limited = Stage { $0.longestWork = 10 }
        for item in 0...1 { limited.begin(item, owner(item)) }
        #expect(limited.schedule.nextWake == nil)
        #expect(limited.after { $0.ask(0, after: RetryPause(seconds: 49), now: 1) } == [])
        #expect(limited.schedule.nextWake == 50)
        // When a waiting account has been abandoned, nothing continues at the end of its wait.
        limited.schedule.stop()
        #expect(limited.schedule.nextWake == nil)
    }

    @Test("The time for which an account works after a refused request doesn't count as a wait")
    func refusedWait() {
        let stage = Stage { $0.longestWait = 100 }
        stage.begin(0, owner(7, limit: 1))
        #expect(stage.after { $0.add(1, owner(7, limit: 1), now: 0) } == [.begin(1)])
        #expect(stage.after { $0.ask(1, now: 0) } == [.refuse(1, seconds: 3_600)])
        #expect(stage.after({ $0.ask(0, after: RetryPause(seconds: 5), now: 0) }, { $0.end(0, now: 5) }) == [])
        #expect(stage.after { $0.ask(1, now: 4_000) } == [.send(1)])
        let waits = stage.schedule.waits["exist"]
        #expect(waits?.count == 1 && waits?.seconds == 0)
    }
}
