import Foundation
import PledgeCoding
import PledgeFiles
import PledgeHTTP
import PledgeTestSupport

@testable import PledgeBatch
@testable import PledgeCommand

/// Throws a fault with these words if a condition doesn't hold.
private func hold(_ condition: Bool, _ words: @autoclosure () -> String) throws {
    if !condition { throw Fault(words()) }
}

/// Runs a simulated night. It uses the tool's real code for the schedule and the results file, but a simulated clock,
/// simulated services, and a simulated disk.
final class NightRun {
    private var night: Night
    private let disk: SimulatedDisk
    private var world = 0.0
    private var sent: [Int: Int] = [:]
    /// The accounts whose lines were reported as stored.
    private var acknowledged: Set<String> = []
    /// The events of the night; empty unless they are recorded.
    private(set) var history: [String] = []
    private let isTold: Bool

    private static let results = "results.jsonl"

    init(_ night: Night, telling: Bool = false) {
        self.night = night
        isTold = telling
        disk = SimulatedDisk(seed: night.seed)
    }

    /// Runs all processes of the night, and checks that every account has a line in the end.
    ///
    /// - Throws: A fault if a condition that must always hold was violated.
    func live() throws {
        for process in night.processes { try live(process) }
        night = night.calm
        disk.faults = SimulatedDisk.Faults()
        var last = Night.Process()
        last.retriesAll = true
        last.losesPower = night.seed.isMultiple(of: 2)
        let ending = try live(last)
        try hold(ending == .over, "the last process ended with \(ending)")
        let missing = night.accounts.map { "a\($0.number)" }.filter { !acknowledged.contains($0) }
        try hold(missing.isEmpty, "in the end there is no line for \(missing)")
    }

    private enum Ending: Equatable { case over, died, stopped, refused }

    @discardableResult
    private func live(_ process: Night.Process) throws -> Ending {
        tell("process begins: \(process)")
        disk.beginProcess(process.faults)
        let before = disk.text(Self.results)
        let failed = lines.filter { $0.errorKind != nil }.map(\.account)
        let start: ExportStart
        do {
            start = try begin(process)
        } catch let error as UsageError {
            try hold(process.hasWrongOptions && !before.isEmpty, "it was refused: \(error)")
            try hold(disk.text(Self.results) == before, "a refused run has changed the results")
            return .refused
        } catch {
            // The disk failed before the process could begin. The lines of earlier processes must still be there.
            tell("did not begin: \(error)")
            if process.losesPower { disk.losePower() }
            forget(failed)
            try check(after: .died)
            return .died
        }
        forget(failed)
        var run = ProcessRun(night, start, at: world)
        let ending = try run.live(process, self)
        world += run.now
        try check(after: ending)
        if ending == .died && process.death == .powerLoss || process.losesPower {
            disk.losePower()
            tell("the power is gone")
            try check(after: .died)
        }
        return ending
    }

    /// Removes failed accounts from `acknowledged` if their lines are gone. A resumed run removes lines with errors, in
    /// order to repeat their accounts.
    private func forget(_ failed: [String]) {
        let text = disk.text(Self.results)
        for account in failed where !text.contains("\"\(account)\"") { acknowledged.remove(account) }
    }

    private func begin(_ process: Night.Process) throws -> ExportStart {
        // The first process that stores results decides which options are right, so only a later process can have
        // wrong options.
        let isWrong = process.hasWrongOptions && !lines.isEmpty
        var words = ["--output", Self.results, "--resume", "--days", isWrong ? "9" : "7"]
        if process.retriesAll { words += ["--retry", "all"] }
        let options = try ExportOptions(Arguments(words, of: ExportCommand.command))
        return try ExportStart(
            at: disk.location(Self.results), options, accounts: Set(night.accounts.map { Self.id($0).key }),
            servers: BatchServers([:]))
    }

    static func id(_ account: Night.Account) -> AccountID {
        AccountID(service: account.service, account: "a\(account.number)")
    }

    func acknowledge(_ accounts: [Night.Account]) { acknowledged.formUnion(accounts.map { "a\($0.number)" }) }

    func tell(_ event: @autoclosure () -> String) {
        if isTold { history.append("\((world * 1000).rounded() / 1000): \(event())") }
    }

    /// Returns the service's response to the next request of an account, and the delay of the response. Both depend
    /// only on the night's seed, the account, the number of the request, and the time.
    func response(to account: Night.Account, at time: Double) -> (seconds: Double, attempt: AttemptOutcome) {
        let number = sent[account.number, default: 0]
        sent[account.number] = number + 1
        var generator = SeededGenerator(seed: night.seed &+ UInt64(account.number) << 20 &+ UInt64(number))
        let seconds = Double.random(in: 0.05...0.5, using: &generator)
        if let outage = night.outages.first(where: {
            $0.service == account.service && $0.from <= world + time && world + time < $0.to
        }) {
            return outage.isUnreachable ? (0.01, AttemptOutcome(.unsent)) : (seconds, AttemptOutcome(.fault))
        }
        let luck = Double.random(in: 0..<1, using: &generator)
        switch account.behavior {
        case .healthy, .revoked: return (seconds, AttemptOutcome(.answered))
        case .slow(let slow): return (slow, AttemptOutcome(.answered))
        case .limited(let times, let wait):
            return (seconds, AttemptOutcome(number < times ? .limited : .answered, asking: wait))
        case .announcing(let wait): return (seconds, AttemptOutcome(.answered, closes: wait))
        case .flaky(let share): return (seconds, AttemptOutcome(luck < share ? .fault : .answered))
        case .garbled(let share): return (seconds, AttemptOutcome(luck < share ? .garbled : .answered))
        case .poison: return (seconds, AttemptOutcome(.fault))
        }
    }

    private var lines: [ResultLine] {
        disk.text(Self.results).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .compactMap { try? ResultLine(String($0)) }
    }

    private func check(after ending: Ending) throws {
        let accounts = lines.map(\.account)
        try hold(Set(accounts).count == accounts.count, "an account has two lines: \(accounts)")
        let lost = acknowledged.subtracting(accounts)
        try hold(lost.isEmpty, "lines were lost that were said to stay: \(lost.sorted())")
        guard ending == .over else { return }
        // A process that reports success also vouches for the lines that earlier processes left.
        acknowledged.formUnion(accounts)
        let text = disk.text(Self.results)
        try hold(text.isEmpty || text.hasSuffix("}\n"), "the file ends with half a line")
    }

    /// A process of the night, from its first account to its end.
    private struct ProcessRun {
        private enum Event { case response(Schedule.Item, AttemptOutcome), write, death(Night.Death) }

        private let night: Night
        private let lines: LinesFile
        private var schedule: Schedule
        private var unread: ArraySlice<Night.Account>
        private var isInputOver = false
        private let failedBefore: Set<HashKey>
        private var timers = Timers<Event>()
        private var jobs: [Schedule.Item: (account: Night.Account, requests: Int, isAsking: Bool)] = [:]
        /// The number of attempts of each account's current request.
        private var counts: [Schedule.Item: AttemptCount] = [:]
        private var finished: [(job: Schedule.Item, error: (kind: String, passing: Bool)?)] = []
        private var isWriting = false
        private var left = 0
        private var written = 0
        private let toDo: Int
        private(set) var now = 0.0
        private var steps = 0
        // What the services know about the requests of this process.
        private var tokens: [Int: (sent: [Double], closedUntil: Double)] = [:]
        private var lastSent = -Double.infinity
        private var inFlight = 0

        init(_ night: Night, _ start: ExportStart, at world: Double) {
            self.night = night
            (lines, failedBefore) = (start.lines, start.failedBefore)
            schedule = Schedule(night.rules, seed: night.seed &+ UInt64(world))
            unread = night.accounts.filter { !start.done.contains(NightRun.id($0).key) }[...]
            toDo = unread.count
        }

        mutating func live(_ process: Night.Process, _ world: NightRun) throws -> Ending {
            if let death = process.death { timers.set(.death(death), at: process.deathTime) }
            do {
                while true {
                    try doActions(world)
                    if unread.isEmpty || schedule.isStopped, schedule.isIdle { break }
                    guard let next = [timers.next, schedule.alarm].compactMap({ $0 }).min() else {
                        throw Fault("nothing is going to happen, and \(jobs.count) accounts wait")
                    }
                    steps += 1
                    try hold(steps < 500_000, "it does not end")
                    now = max(now, next)
                    while let event = timers.popDue(by: now)?.element {
                        switch event {
                        case .response(let job, let attempt): take(attempt, job, world)
                        case .write: try write(world)
                        case .death(.interrupt):
                            world.tell("interrupted at \(now)")
                            schedule.stop()
                        case .death(let how):
                            world.tell("\(how) at \(now)")
                            return .died
                        }
                        try doActions(world)
                    }
                    schedule.advance(to: now)
                }
            } catch let error as FileError {
                world.tell("stopped at \(now): \(error)")
                return .stopped
            }
            let isWhole =
                !schedule.isStopped && AccountID.Service.allCases.allSatisfy { schedule[$0.rawValue].state != .gone }
            try hold(written + left + unread.count == toDo, "\(toDo) accounts were \(written) and \(left)")
            try hold(!isWhole || written == toDo, "it claims to be done, and \(left) are left")
            return isWhole ? .over : .stopped
        }

        private mutating func doActions(_ world: NightRun) throws {
            while true {
                while schedule.wantsMore, let account = unread.popFirst() {
                    let limit = account.service == .exist ? night.limit : nil
                    jobs[account.number] = (account, account.requests, false)
                    let key = HashKey(high: 0, low: UInt64(account.token))
                    schedule.add(
                        account.number, Schedule.Quota(service: account.service.rawValue, token: key, limit: limit),
                        failedBefore: failedBefore.contains(NightRun.id(account).key), now: now)
                }
                if unread.isEmpty, !isInputOver {
                    isInputOver = true
                    schedule.endInput(now: now)
                }
                let actions = schedule.actions.takeAll()
                guard !actions.isEmpty else { break }
                for action in actions { try perform(action, world) }
            }
            try checkFairness()
        }

        private mutating func perform(_ action: Schedule.Action, _ world: NightRun) throws {
            switch action {
            case .begin(let job):
                world.tell("\(now): a\(job) begins")
                jobs[job]?.isAsking = true
                schedule.ask(job, now: now)
            case .send(let job): try send(job, world)
            case .refuse(let job, let seconds):
                world.tell("\(now): a\(job) may not wait \(seconds) s")
                end(job, error: ("rateLimited", true))
            case .fail(let job):
                world.tell("\(now): a\(job) is given up after a fault")
                end(job, error: ("serviceFault", true))
            case .expire(let job): throw Fault("a\(job) has no limit of time")
            case .abandon(let job):
                world.tell("\(now): a\(job) is left")
                jobs[job] = nil
                left += 1
                schedule.end(job, now: now)
            case .report(let notice): world.tell("\(now): \(notice)")
            }
        }

        private mutating func send(_ job: Schedule.Item, _ world: NightRun) throws {
            guard let account = jobs[job]?.account, jobs[job]?.isAsking == true else {
                throw Fault("a\(job) was told to send what it did not want to")
            }
            jobs[job]?.isAsking = false
            let service = schedule[account.service.rawValue]
            try hold(service.isUp || service.probing == job, "a\(job) was sent to a service that is down")
            var token = tokens[account.token] ?? ([], -.infinity)
            try hold(token.closedUntil <= now, "token \(account.token) was told to wait, and did not")
            token.sent.append(now)
            let period = 3600.0
            if account.service == .exist, token.sent.count > night.limit,
                token.sent.count(where: { $0 + period > now }) > night.limit
            {
                throw Fault("token \(account.token) has sent more than \(night.limit) in \(period) s")
            }
            tokens[account.token] = token
            if let rate = night.rules.totalRate, now - lastSent < period / Double(rate) * 0.999_999 {
                throw Fault("the process has sent more than \(rate) in \(period) s")
            }
            lastSent = now
            inFlight += 1
            try hold(inFlight <= night.rules.inFlight, "\(inFlight) requests are under way")
            let (seconds, attempt) = world.response(to: account, at: now)
            timers.set(.response(job, attempt), at: now + seconds)
        }

        private mutating func take(_ attempt: AttemptOutcome, _ job: Schedule.Item, _ world: NightRun) {
            inFlight -= 1
            guard let (account, requests, _) = jobs[job] else { return }
            world.tell("\(now): a\(job) gets \(attempt)")
            if let seconds = attempt.closes { tokens[account.token]?.closedUntil = now + seconds }
            if attempt.kind == .limited, let seconds = attempt.requestedWait {
                let until = max(tokens[account.token]?.closedUntil ?? 0, now + seconds)
                tokens[account.token]?.closedUntil = until
            }
            if let again = schedule.record(attempt, of: job, &counts[job, default: AttemptCount()], now: now) {
                jobs[job]?.isAsking = true
                return schedule.ask(job, after: again, now: now)
            }
            counts[job] = nil
            switch attempt.kind {
            case .answered where account.behavior == .revoked: end(job, error: ("unauthorized", false))
            case .answered where requests > 1:
                jobs[job]?.requests -= 1
                jobs[job]?.isAsking = true
                schedule.ask(job, now: now)
            case .answered: end(job, error: nil)
            case .limited: end(job, error: ("rateLimited", true))
            case .fault, .unsent: end(job, error: ("serviceFault", true))
            case .garbled: end(job, error: ("unreadable", true))
            case .unclear: end(job, error: ("other", false))
            }
        }

        private mutating func end(_ job: Schedule.Item, error: (kind: String, passing: Bool)?) {
            jobs[job]?.isAsking = false
            finished.append((job, error))
            guard !isWriting else { return }
            isWriting = true
            timers.set(.write, at: now + 0.005)
        }

        private mutating func write(_ world: NightRun) throws {
            isWriting = false
            let batch = finished
            finished = []
            let accounts = batch.compactMap { jobs[$0.job]?.account }
            try lines.append(zip(batch, accounts).map { try LineBuffer(NightRun.id($1), error: $0.error) })
            world.acknowledge(accounts)
            written += batch.count
            for (job, _) in batch {
                jobs[job] = nil
                schedule.end(job, now: now)
            }
        }

        /// Checks fairness while fewer accounts are at work than the limit allows. No healthy account that could send a
        /// request may wait, and further accounts must be read from the input.
        private func checkFairness() throws {
            guard night.rules.totalRate == nil, !schedule.isStopped, schedule.atWork < night.rules.inFlight else {
                return
            }
            for (job, state) in jobs where state.isAsking && state.account.behavior == .healthy {
                guard schedule[state.account.service.rawValue].isUp, schedule.items[job]?.state == .ready else {
                    continue
                }
                throw Fault("a\(job) waits, and \(schedule.atWork) of \(night.rules.inFlight) are at work")
            }
            if !unread.isEmpty, schedule.parked < night.rules.mostParked {
                throw Fault("nothing more is read, and \(schedule.atWork) of \(night.rules.inFlight) are at work")
            }
        }
    }
}
