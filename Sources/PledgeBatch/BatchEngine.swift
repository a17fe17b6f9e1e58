import Foundation
import Pledge
import PledgeHTTP

/// A job of a batch: the owner of its limits, and its work.
package struct BatchJob: Sendable {
    /// The outcome of a job.
    package enum Outcome: Sendable, Equatable {
        case done
        /// - Parameter unreadable: The number of items of each list that could not be read.
        case partial(unreadable: [String: Int])
        /// - Parameter lists: The kind of error of each list, if only some of them failed.
        case failed(kind: String, lists: [String: String] = [:], unreadable: [String: Int] = [:])
    }

    var owner: Schedule.Owner
    var work: @Sendable (BatchSlot) -> Promise<Outcome>

    /// - Parameters:
    ///   - token: The hash of the token; nil if the job shares its limit with no other.
    ///   - work: Is fulfilled once the outcome is stored, and rejects silently if its requests are canceled. Any other
    ///     error ends the batch.
    package init(
        _ service: String, _ token: HashKey?, limit: Int?, period: Double = 3600,
        work: @escaping @Sendable (BatchSlot) -> Promise<Outcome>
    ) {
        owner = Schedule.Owner(
            service: service, token: token ?? .random(), limit: limit, period: period, isShared: token != nil)
        self.work = work
    }
}

/// The jobs of a batch, one after another.
package protocol BatchSource: Sendable {
    /// Returns the next job; nil if none are left. It is not called again before the promise has settled.
    func next() -> Promise<BatchJob?>
    /// No more jobs are wanted.
    func stop()
}

/// Works through jobs according to a ``Schedule``: reports events to it, and carries out its actions.
package final class BatchEngine: Sendable {
    struct State {
        var schedule: Schedule
        var tallies: [String: BatchTally] = [:]
        var jobs = 0
        var unbegun: [Schedule.Job: BatchJob] = [:]
        var permits: [Schedule.Job: Resolver<Void>] = [:]
        var isReading = false
        var isAtEnd = false
        /// The last request to each service that did not succeed: the server, and the reason.
        var troubles: [String: String] = [:]
        /// The error that ends the batch early.
        var failure: (any Error)?
        var isOver = false
    }

    let transport: any HTTPTransport
    let clock: Timekeeper
    private let begun: TimeInterval
    private let source: any BatchSource
    private let report: @Sendable (Schedule.Notice, _ trouble: String?) -> Void
    let state: Locked<State>
    private let ending = Promise<Void>.pending()
    private let alarm: Alarm

    /// - Parameter report: Receives what people want to know, and the last trouble of that service: its server and the
    ///   reason.
    package init(
        _ source: any BatchSource, _ rules: BatchRules, over transport: any HTTPTransport, clock: Timekeeper = .live,
        seed: UInt64 = .random(in: 0 ... .max),
        report: @escaping @Sendable (Schedule.Notice, _ trouble: String?) -> Void = { _, _ in }
    ) {
        (self.source, self.transport, self.clock, self.report) = (source, transport, clock, report)
        (begun, alarm) = (clock.uptime(), Alarm(clock))
        state = Locked(State(schedule: Schedule(rules, seed: seed)))
    }

    /// Starts the batch. The promise is fulfilled when nothing is left to do.
    ///
    /// - Rejects: With the error of the work or of the input.
    package func run() -> Promise<Void> {
        update { _, _ in }
        return ending.promise
    }

    /// Starts no further accounts, and gives up those that wait.
    package func stop() {
        source.stop()
        update { state, _ in
            state.schedule.stop()
            // The source may be waiting for input that never comes.
            state.isAtEnd = true
        }
    }

    package var isStopped: Bool { state.withLock(\.schedule.isStopped) }

    /// The seconds since it began, whatever the date is set to meanwhile.
    private var elapsed: TimeInterval { clock.uptime() - begun }

    /// The outcomes so far.
    package var tally: BatchTally { figures(toDo: nil).tally }

    package func progress(toDo: Int?) -> BatchProgress { figures(toDo: toDo).progress }

    package func figures(toDo: Int?) -> BatchFigures {
        let (date, seconds) = (clock.now(), elapsed)
        return state.withLock { state in
            var figures = BatchFigures()
            figures.tallies = state.tallies
            for (service, waits) in state.schedule.waits {
                figures.tallies[service, default: BatchTally()].waits = waits.count
                figures.tallies[service, default: BatchTally()].waitSeconds = waits.seconds
            }
            figures.down = Set(state.tallies.keys.filter { !state.schedule[$0].isUp })
            let (tally, parked) = (figures.tally, state.schedule.parked)
            figures.progress = BatchProgress(
                done: tally.done, failed: tally.failed, waiting: parked,
                wake: parked > 0 ? state.schedule.nextWake.map { date.addingTimeInterval($0 - seconds) } : nil,
                left: toDo.map { max(0, $0 - tally.done - tally.failed) }, elapsed: seconds)
            return figures
        }
    }

    // MARK: For a slot

    /// Returns a promise that is fulfilled when a request of the job may be sent.
    ///
    /// - Parameter time: The time before which it is not to be sent again; nil for the first time.
    func permit(_ job: Schedule.Job, of service: String, notBefore time: Double?) -> Promise<Void> {
        let (promise, resolver) = Promise<Void>.pending()
        update { state, now in
            state.permits[job] = resolver
            if time == nil { state.tallies[service, default: BatchTally()].requests += 1 }
            state.schedule.ask(job, notBefore: time ?? now, now: now)
        }
        return promise
    }

    /// Records the outcome of an attempt; see ``Schedule/record(_:of:_:mayRepeat:now:)``.
    ///
    /// - Parameter trouble: The server and the reason, if the attempt did not succeed.
    func record(
        _ attempt: Attempt, of job: Schedule.Job, _ count: inout AttemptCount, service: String, mayRepeat: Bool,
        trouble: @autoclosure () -> String, seconds: Double, bytes: Int
    ) -> Schedule.Again? {
        var again: Schedule.Again?
        let trouble = if case .trouble = attempt.outcome { trouble() } else { nil as String? }
        update { state, now in
            if let trouble { state.troubles[service] = trouble }
            state.tallies[service, default: BatchTally()].record(attempt, seconds: seconds, bytes: bytes)
            again = state.schedule.record(attempt, of: job, &count, mayRepeat: mayRepeat, now: now)
            if again != nil { state.tallies[service, default: BatchTally()].retries += 1 }
        }
        return again
    }

    private func begin(_ job: BatchJob, _ number: Schedule.Job) {
        let (service, slot) = (job.owner.service, BatchSlot(number, job.owner.service, self))
        job.work(slot).settled().done(on: nil) { outcome in
            // Whatever the work makes of its cancellation, it has no outcome.
            let outcome = slot.isAbandoned ? .failure(PromiseError.cancelled) : outcome
            // That of a request for which the work did not wait.
            var permit: Resolver<Void>?
            self.update { state, now in
                switch outcome {
                case .success(let outcome): state.tallies[service, default: BatchTally()].record(outcome)
                case .failure(let error):
                    state.tallies[service, default: BatchTally()].left += 1
                    if !error.isCancelled { state.failure = state.failure ?? error }
                }
                state.schedule.end(number, now: now)
                permit = state.permits.removeValue(forKey: number)
            }
            permit?.reject(BatchStopped())
        }
    }

    // MARK: Carrying out the schedule's actions

    private func update(_ change: (inout State, _ now: Double) -> Void) {
        let now = elapsed
        let effects = state.withLock { state in
            change(&state, now)
            return translate(&state, now)
        }
        for perform in effects { perform() }
    }

    /// - Returns: The actions to perform without the lock.
    private func translate(_ state: inout State, _ now: Double) -> [() -> Void] {
        var effects: [() -> Void] = []
        if state.failure != nil, !state.schedule.isStopped {
            state.schedule.stop()
            effects.append(source.stop)
        }
        var actions = state.schedule.takeActions()[...]
        while let action = actions.popFirst() {
            switch action {
            case .begin(let job):
                if let work = state.unbegun.removeValue(forKey: job) { effects.append { self.begin(work, job) } }
            case .send(let job):
                if let permit = state.permits.removeValue(forKey: job) { effects.append { permit.fulfill(()) } }
            case .refuse(let job, let seconds):
                let error = WaitTooLong(seconds: seconds, allowed: state.schedule.rules.longestWait)
                if let permit = state.permits.removeValue(forKey: job) { effects.append { permit.reject(error) } }
            case .abandon(let job):
                if let permit = state.permits.removeValue(forKey: job) {
                    effects.append { permit.reject(BatchStopped()) }
                } else if let work = state.unbegun.removeValue(forKey: job) {
                    state.tallies[work.owner.service, default: BatchTally()].left += 1
                    state.schedule.end(job, now: now)
                    actions += state.schedule.takeActions()
                }
            case .report(let notice):
                state.tallies[notice.service, default: BatchTally()].record(notice)
                effects.append { [trouble = state.troubles[notice.service]] in self.report(notice, trouble) }
            }
        }
        if !state.isOver, state.failure != nil || state.isAtEnd && state.schedule.isIdle {
            state.isOver = true
            effects.append { [failure = state.failure, end = ending.resolver] in
                if let failure { end.reject(failure) } else { end.fulfill(()) }
            }
        }
        if state.schedule.wantsMore, !state.isReading, !state.isAtEnd, !state.isOver {
            state.isReading = true
            effects.append(read)
        }
        let time = state.isOver ? nil : state.schedule.alarm
        let set = alarm.plan(time.map { $0 + begun }) {
            // Some clocks are early, and sums are rounded.
            self.update { state, now in state.schedule.advance(to: max(now, time ?? now)) }
        }
        // First of all, so that no alarm is left when the batch's promise is settled.
        if let set { effects.insert(set, at: 0) }
        return effects
    }

    private func read() {
        source.next().settled().done(on: nil) { outcome in
            self.update { state, now in
                state.isReading = false
                switch outcome {
                case .success(let job?):
                    state.jobs += 1
                    state.unbegun[state.jobs] = job
                    state.schedule.add(state.jobs, job.owner, now: now)
                case .success(nil): state.isAtEnd = true
                case .failure(let error): state.failure = state.failure ?? error
                }
            }
        }
    }
}

/// The error of requests that wait when their batch is stopped.
struct BatchStopped: CancellableError {
    var isCancelled: Bool { true }
}
