import Foundation
import Pledge
import PledgeHTTP

/// Works through accounts according to a ``Schedule``: reports events to it, and carries out its actions.
///
/// It does not know the work: `pledge export` writes a line for each account, `--check` requests a profile.
final class Batch: Sendable {
    /// The outcome of an account.
    enum Outcome: Sendable, Equatable {
        case done
        case failed(kind: String)
    }

    /// The work for an account, with the slot as its transport.
    ///
    /// It is fulfilled once the outcome is stored, and rejects silently if its requests are canceled. Any other error
    /// ends the batch.
    typealias Work = @Sendable (AccountSlot) -> Promise<Outcome>

    private struct State {
        var schedule: Schedule
        var tally = Tally()
        var jobs = 0
        var unbegun: [Schedule.Job: AccountLine] = [:]
        var permits: [Schedule.Job: Resolver<Void>] = [:]
        var isReading = false
        var isAtEnd = false
        /// The last request to each service that did not succeed: the server, and the reason.
        var troubles: [AccountID.Service: String] = [:]
        /// The error that ends the batch early.
        var failure: (any Error)?
        var isOver = false
        var alarm: (time: Double, callOff: @Sendable () -> Void)?
    }

    let transport: any HTTPTransport
    let clock: Timekeeper
    private let begun: Date
    private let reader: AccountReader
    private let limits: [AccountID.Service: Int]
    private let note: @Sendable (Schedule.Note, _ trouble: String?) -> Void
    private let work: Work
    private let state: Locked<State>
    private let ending = Promise<Void>.pending()

    /// - Parameters:
    ///   - limits: The requests per hour for each token of a service; without one, the service announces its own limit.
    ///   - note: Receives what people want to know, and the last trouble of that service: its server and the reason.
    init(
        _ rules: Schedule.Rules, limits: [AccountID.Service: Int], _ reader: AccountReader,
        over transport: any HTTPTransport, clock: Timekeeper = .live, seed: UInt64 = .random(in: 0 ... .max),
        note: @escaping @Sendable (Schedule.Note, _ trouble: String?) -> Void = { _, _ in }, work: @escaping Work
    ) {
        self.limits = limits
        self.reader = reader
        self.transport = transport
        self.clock = clock
        self.note = note
        self.work = work
        begun = clock.now()
        state = Locked(State(schedule: Schedule(rules, seed: seed)))
    }

    /// Starts the batch. The promise is fulfilled when nothing is left to do.
    ///
    /// - Rejects: With the error of the work or of the input.
    func run() -> Promise<Void> {
        update { _, _ in }
        return ending.promise
    }

    /// Starts no further accounts, and gives up those that wait.
    func stop() {
        reader.stop()
        update { state, _ in
            state.schedule.stop()
            // The reader may be waiting for input that never comes.
            state.isAtEnd = true
        }
    }

    var isStopped: Bool { state.withLock(\.schedule.isStopped) }

    /// The outcomes so far.
    var tally: Tally {
        state.withLock { state in
            var tally = state.tally
            (tally.waits, tally.waitSeconds) = (state.schedule.waits, state.schedule.waitSeconds)
            return tally
        }
    }

    func progress(toDo: Int?) -> Progress {
        let seconds = clock.now().timeIntervalSince(begun)
        return state.withLock { state in
            Progress(
                done: state.tally.done, failed: state.tally.failed, waiting: state.schedule.parked,
                wake: state.schedule.parked > 0 ? state.schedule.nextWake.map { begun.addingTimeInterval($0) } : nil,
                left: toDo.map { max(0, $0 - state.tally.done - state.tally.failed) }, elapsed: seconds)
        }
    }

    // MARK: For an account

    /// Returns a promise that is fulfilled when a request of the account may be sent.
    func permit(_ job: Schedule.Job) -> Promise<Void> {
        let (promise, resolver) = Promise<Void>.pending()
        update { state, now in
            state.permits[job] = resolver
            state.tally.requests += 1
            state.schedule.ask(job, now: now)
        }
        return promise
    }

    /// - Parameter trouble: The server and the reason, if the attempt did not succeed.
    /// - Returns: Nil if that is the response; else a promise that is fulfilled when the request may be sent again.
    func answer(
        _ job: Schedule.Job, _ attempt: Attempt, of service: AccountID.Service, trouble: @autoclosure () -> String,
        seconds: Double, bytes: Int
    ) -> Promise<Void>? {
        var again: Promise<Void>?
        let trouble = if case .trouble = attempt.outcome { trouble() } else { nil as String? }
        update { state, now in
            if let trouble { state.troubles[service] = trouble }
            state.tally.note(attempt, seconds: seconds, bytes: bytes)
            guard state.schedule.answer(job, attempt, now: now) else { return }
            let (promise, resolver) = Promise<Void>.pending()
            state.permits[job] = resolver
            state.tally.retries += 1
            again = promise
        }
        return again
    }

    private func begin(_ account: AccountLine, _ job: Schedule.Job) {
        work(AccountSlot(account, job, self)).settled().done(on: nil) { outcome in
            self.update { state, now in
                switch outcome {
                case .success(let outcome): state.tally.note(outcome)
                case .failure(let error):
                    state.tally.left += 1
                    if !error.isCancelled { state.failure = state.failure ?? error }
                }
                state.schedule.end(job, now: now)
            }
        }
    }

    // MARK: Carrying out the schedule's actions

    private func update(_ change: (inout State, _ now: Double) -> Void) {
        let now = clock.now().timeIntervalSince(begun)
        let effects = state.withLock { state in
            change(&state, now)
            return translate(&state, now)
        }
        for perform in effects { perform() }
    }

    /// - Returns: The actions to perform without the lock.
    private func translate(_ state: inout State, _ now: Double) -> [() -> Void] {
        var effects: [() -> Void] = []
        var actions = state.schedule.takeActions()[...]
        while let action = actions.popFirst() {
            switch action {
            case .begin(let job):
                if let account = state.unbegun.removeValue(forKey: job) { effects.append { self.begin(account, job) } }
            case .send(let job):
                if let permit = state.permits.removeValue(forKey: job) { effects.append { permit.fulfill(()) } }
            case .refuse(let job, let seconds):
                let error = WaitTooLong(seconds: seconds, allowed: state.schedule.rules.longestWait)
                if let permit = state.permits.removeValue(forKey: job) { effects.append { permit.reject(error) } }
            case .abandon(let job):
                if let permit = state.permits.removeValue(forKey: job) {
                    effects.append { permit.reject(PromiseError.cancelled) }
                } else if state.unbegun.removeValue(forKey: job) != nil {
                    state.tally.left += 1
                    state.schedule.end(job, now: now)
                    actions += state.schedule.takeActions()
                }
            case .note(let note):
                state.tally.note(note)
                effects.append { [trouble = state.troubles[note.service]] in self.note(note, trouble) }
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
        let alarm = state.isOver ? nil : state.schedule.alarm
        if alarm != state.alarm?.time {
            if let callOff = state.alarm?.callOff { effects.append(callOff) }
            // Set without the lock; until then, only its time is known.
            state.alarm = alarm.map { ($0, {}) }
            if let alarm { effects.append { self.setAlarm(alarm) } }
        }
        return effects
    }

    private func setAlarm(_ time: Double) {
        let seconds = time - clock.now().timeIntervalSince(begun)
        let callOff = clock.schedule(max(0, seconds)) {
            self.update { state, now in
                if state.alarm?.time == time { state.alarm = nil }
                // A clock that fires early would otherwise fire again and again.
                state.schedule.advance(to: max(now, time))
            }
        }
        let isLate = state.withLock { state in
            guard state.alarm?.time == time else { return true }
            state.alarm = (time, callOff)
            return false
        }
        if isLate { callOff() }
    }

    private func read() {
        reader.next().settled().done(on: nil) { outcome in
            switch outcome {
            case .success(let account): self.take(account)
            case .failure(let error): self.update { state, _ in state.failure = state.failure ?? error }
            }
        }
    }

    private func take(_ account: AccountLine?) {
        let owner = account.map { account in
            Schedule.Owner(
                service: account.id.service, token: account.tokenKey, limit: limits[account.id.service])
        }
        update { state, now in
            state.isReading = false
            guard let account, let owner else { return state.isAtEnd = true }
            state.jobs += 1
            state.unbegun[state.jobs] = account
            state.schedule.add(state.jobs, owner, now: now)
        }
    }
}
