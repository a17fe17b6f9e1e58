import PledgeCoding
import PledgeHTTP
import Testing

@testable import PledgeBatch

/// Plays a schedule with any accounts and responses. Its clock jumps from event to event.
struct PlayedSchedule {
    var schedule: Schedule
    var now = 0.0
    /// Returns the outcome of a request, given the account, the number of its earlier requests, and the time.
    private let response: (Schedule.Item, Int, Double) -> AttemptOutcome
    /// The accounts for which the service failed in the run before this one.
    private let failedBefore: Set<Schedule.Item>
    var requests = 1
    private(set) var sent: [(item: Schedule.Item, time: Double)] = []
    /// The times at which accounts ended, whether they succeeded or failed.
    private(set) var ended: [Schedule.Item: Double] = [:]
    private(set) var succeeded: Set<Schedule.Item> = []
    private(set) var refused: [Schedule.Item: Double] = [:]
    private(set) var abandoned: [Schedule.Item] = []
    private(set) var notices: [Schedule.Notice] = []
    private(set) var noticeTimes: [Double] = []
    private var isInputOver = false
    private var responses = Timers<(Schedule.Item, AttemptOutcome)>()
    private var left: [Schedule.Item: Int] = [:]
    private var sends: [Schedule.Item: Int] = [:]
    private var counts: [Schedule.Item: AttemptCount] = [:]
    private var unread: ArraySlice<(item: Schedule.Item, owner: Schedule.Quota)>

    init(
        _ rules: BatchRules, _ accounts: [(item: Schedule.Item, owner: Schedule.Quota)],
        response: @escaping (Schedule.Item, Int) -> AttemptOutcome = { _, _ in AttemptOutcome(.answered) }
    ) {
        self.init(rules, accounts, seed: 1) { item, number, _ in response(item, number) }
    }

    init(
        _ rules: BatchRules, _ accounts: [(item: Schedule.Item, owner: Schedule.Quota)], seed: UInt64,
        failedBefore: Set<Schedule.Item> = [], response: @escaping (Schedule.Item, Int, Double) -> AttemptOutcome
    ) {
        schedule = Schedule(rules, seed: seed)
        unread = accounts[...]
        (self.failedBefore, self.response) = (failedBefore, response)
    }

    /// Plays the schedule until nothing more happens before the given time.
    mutating func play(until end: Double = .infinity) {
        for step in 0... {
            guard step < 1_000_000, schedule.parked <= schedule.items.count - schedule.atWork else {
                Issue.record("it never ends, or more items wait than there are")
                return
            }
            act()
            if schedule.isIdle, unread.isEmpty || schedule.isStopped { return }
            guard let next = [responses.next, schedule.alarm].compactMap({ $0 }).min(), next < end else { return }
            now = max(now, next)
            while let (item, attempt) = responses.popDue(by: now)?.element {
                let again = schedule.record(attempt, of: item, &counts[item, default: AttemptCount()], now: now)
                if let again { schedule.ask(item, after: again, now: now) } else { proceed(item, attempt) }
                act()
            }
            schedule.advance(to: now)
        }
    }

    private mutating func proceed(_ item: Schedule.Item, _ attempt: AttemptOutcome) {
        left[item, default: requests] -= 1
        counts[item] = nil
        if attempt.kind == .answered, left[item, default: 0] > 0 {
            schedule.ask(item, now: now)
        } else {
            if attempt.kind == .answered { succeeded.insert(item) }
            ended[item] = now
            schedule.end(item, now: now)
        }
    }

    private mutating func act() {
        while true {
            while schedule.wantsMore, let (item, owner) = unread.popFirst() {
                schedule.add(item, owner, failedBefore: failedBefore.contains(item), now: now)
            }
            if unread.isEmpty, !isInputOver {
                isInputOver = true
                schedule.endInput(now: now)
            }
            let actions = schedule.actions.takeAll()
            guard !actions.isEmpty else { return }
            guard sent.count < 100_000 else {
                Issue.record("it sends without an end")
                return
            }
            for action in actions {
                switch action {
                case .begin(let item): schedule.ask(item, now: now)
                case .send(let item):
                    let attempt = response(item, sends[item, default: 0], now)
                    sends[item, default: 0] += 1
                    sent.append((item, now))
                    responses.set((item, attempt), at: now + 0.1)
                case .refuse(let item, let seconds):
                    refused[item] = seconds
                    schedule.end(item, now: now)
                case .fail(let item), .expire(let item):
                    ended[item] = now
                    schedule.end(item, now: now)
                case .abandon(let item):
                    abandoned.append(item)
                    schedule.end(item, now: now)
                case .report(let notice):
                    notices.append(notice)
                    noticeTimes.append(now)
                }
            }
        }
    }
}
