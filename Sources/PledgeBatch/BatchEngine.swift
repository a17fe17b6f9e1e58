import Dispatch
import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// An item of a batch: the work to do, and the rate limit that its requests count toward.
package struct BatchItem: Sendable {
    /// The outcome of an item's work.
    package enum Outcome: Sendable, Equatable {
        /// - Parameter unreadable: The number of list elements that could not be read, by the name of the list.
        case done(unreadable: [String: Int] = [:])
        /// - Parameter lists: The kind of error of each list that failed, by the name of the list. It is empty if the
        ///   item failed as a whole.
        case failed(kind: String, lists: [String: String] = [:], unreadable: [String: Int] = [:])
    }

    let quota: Schedule.Quota
    let failedBefore: Bool
    let work: @Sendable (BatchSlot) -> Promise<Outcome>

    /// Creates an item. `work` does the item's work and stores the outcome. Its promise is fulfilled once the outcome
    /// is stored. The promise rejects as canceled if the item's requests are canceled. Any other error of the promise
    /// ends the batch.
    ///
    /// - Parameter failedBefore: Whether the service failed for the item in the previous run. If so, the batch works on
    ///   this item after all others, and doesn't take its failures as a sign that the service is down.
    package init(
        _ limit: BatchLimit, failedBefore: Bool = false, work: @escaping @Sendable (BatchSlot) -> Promise<Outcome>
    ) {
        let token = limit.token.map { HashKey(limit.service, $0) }
        quota = Schedule.Quota(
            service: limit.service, token: token ?? .random(), limit: limit.requests, period: limit.period,
            isShared: token != nil)
        self.failedBefore = failedBefore
        self.work = work
    }
}

/// Works through the items of a batch. It reports events to a ``Schedule``, and carries out the actions that the
/// schedule decides on.
package final class BatchEngine: Sendable {
    /// Returns a promise of the next item, or of nil at the end. The batch calls the source again only after that
    /// promise has settled.
    package typealias Source = @Sendable () -> Promise<BatchItem?>

    struct State {
        /// The source of the items. It is released when the batch ends, because the source may retain the batch.
        var source: Source?
        var schedule: Schedule
        var tallies: [String: BatchTally] = [:]
        var lastItem = 0
        var unbegun: [Schedule.Item: BatchItem] = [:]
        var permits: [Schedule.Item: Resolver<Void>] = [:]
        /// The slots of the items that have begun.
        var slots: [Schedule.Item: BatchSlot] = [:]
        var isReading = false
        var isAtEnd = false
        /// What was wrong with the last unsuccessful request to each service: a text with the server and the reason.
        var troubles: [String: String] = [:]
        var failure: (any Error)?
        var isOver: Bool { failure != nil || isAtEnd && schedule.isIdle }
    }

    let transport: any HTTPTransport
    let clock: Timekeeper
    private let begun: TimeInterval
    private let report: @Sendable (Schedule.Notice, _ trouble: String?) -> Void
    let state: Locked<State>
    private let ending = Promise<Void>.pending()
    private let alarm: Alarm

    /// - Parameter report: Called with each notice to show to people. `trouble` says which server caused the last
    ///   problem with the service, and what the problem was.
    package init(
        _ rules: BatchRules, over transport: any HTTPTransport, clock: Timekeeper = .live,
        seed: UInt64 = .random(in: 0 ... .max),
        report: @escaping @Sendable (Schedule.Notice, _ trouble: String?) -> Void = { _, _ in }
    ) {
        self.transport = transport
        self.clock = clock
        self.report = report
        begun = clock.uptime()
        alarm = Alarm(clock)
        state = Locked(State(schedule: Schedule(rules, seed: seed)))
    }

    /// Starts the batch. The promise is fulfilled when nothing is left to do. It rejects if the source or an item's
    /// work rejects with an error other than a cancellation.
    package func run(_ source: @escaping Source) -> Promise<Void> {
        update { state, _ in state.source = source }
        return ending.promise
    }

    /// Starts no further items, and gives up the items that wait.
    package func stop() {
        update { state, _ in
            state.schedule.stop()
            // From now on, the batch acts as if the source had ended, because waiting for its next item could take
            // forever.
            state.isAtEnd = true
        }
    }

    var longestWork: Double? { state.withLock(\.schedule.rules.longestWork) }

    package var isStopped: Bool { state.withLock(\.schedule.isStopped) }

    /// The seconds since the batch began. Setting the system's clock does not affect this time.
    private var elapsed: TimeInterval { clock.uptime() - begun }

    package var tally: BatchTally { progress(toDo: nil).tally }

    package func progress(toDo: Int?) -> BatchProgress {
        let date = clock.now()
        let seconds = elapsed
        return state.withLock { state in
            var progress = BatchProgress(
                tallies: state.tallies, waiting: state.schedule.parked, elapsed: seconds)
            for (service, waits) in state.schedule.waits {
                progress.tallies[service, default: BatchTally()].waits = waits.count
                progress.tallies[service, default: BatchTally()].waitSeconds = waits.seconds
            }
            progress.down = Set(state.tallies.keys.filter { !state.schedule[$0].isUp })
            progress.left = toDo.map { max(0, $0 - progress.finished) }
            if progress.waiting > 0 {
                progress.wake = state.schedule.nextWake.map { date.addingTimeInterval($0 - seconds) }
            }
            return progress
        }
    }

    // MARK: For a slot

    /// Returns a promise that is fulfilled when a request of the item may be sent.
    ///
    /// - Parameter pause: The pause before the request is sent again; nil if it was not sent before.
    func permit(_ item: Schedule.Item, after pause: RetryPause?) -> Promise<Void> {
        let (promise, resolver) = Promise<Void>.pending()
        update { state, now in
            state.permits[item] = resolver
            state.schedule.ask(item, after: pause, now: now)
        }
        return promise
    }

    /// Records the outcome of an attempt; see ``Schedule/record(_:of:_:mayRepeat:now:)``. `seconds` is the time that the
    /// response took.
    func record(
        _ attempt: AttemptOutcome, _ sent: SentRequest, of slot: BatchSlot, _ count: inout AttemptCount, isFirst: Bool,
        mayRepeat: Bool, seconds: Double
    ) -> RetryPause? {
        var pause: RetryPause?
        let trouble = [.fault, .unsent].contains(attempt.kind) ? sent.trouble : nil
        update { state, now in
            if let trouble { state.troubles[slot.service] = trouble }
            state.tallies[slot.service, default: BatchTally()].record(
                attempt, isFirst: isFirst, seconds: seconds, bytes: sent.response?.byteCount ?? 0)
            pause = state.schedule.record(attempt, of: slot.item, &count, mayRepeat: mayRepeat, now: now)
            if pause != nil { state.tallies[slot.service, default: BatchTally()].retries += 1 }
        }
        return pause
    }

    private func begin(_ item: BatchItem, _ number: Schedule.Item) {
        let service = item.quota.service
        let slot = BatchSlot(number, item.quota.service, self)
        state.withLock { $0.slots[number] = slot }
        item.work(slot).settled().done(on: nil) { outcome in
            // If the batch has given up the item, the outcome of its work doesn't count. The work may have ignored the
            // cancellation, and may even have succeeded.
            let outcome = slot.isAbandoned ? .failure(PromiseError.cancelled) : outcome
            // The work may have ended while one of its requests still waited for this permit.
            var permit: Resolver<Void>?
            self.update { state, now in
                switch outcome {
                case .success(let outcome): state.tallies[service, default: BatchTally()].record(outcome)
                case .failure(let error):
                    state.tallies[service, default: BatchTally()].givenUp += 1
                    if !error.isCancelled { state.failure = state.failure ?? error }
                }
                state.schedule.end(number, now: now)
                state.slots[number] = nil
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

    /// Carries out the schedule's actions, as far as they only change the state.
    ///
    /// - Returns: The other effects of the actions. Perform them after releasing the lock.
    private func translate(_ state: inout State, _ now: Double) -> [() -> Void] {
        var effects: [() -> Void] = []
        if state.failure != nil, !state.schedule.isStopped { state.schedule.stop() }
        while let action = state.schedule.actions.popFirst() {
            if let effect = effect(of: action, &state, now) { effects.append(effect) }
        }
        if state.isOver {
            state.source = nil
            effects.append { [failure = state.failure, end = ending.resolver] in
                if let failure { end.reject(failure) } else { end.fulfill(()) }
            }
        }
        if state.schedule.wantsMore, !state.isReading, !state.isAtEnd, let source = state.source {
            state.isReading = true
            effects.append { self.read(source) }
        }
        let time = state.isOver ? nil : state.schedule.alarm
        let set = alarm.plan(time.map { $0 + begun }) {
            // Some clocks call an alarm slightly early, and sums of times are rounded. So the clock may show a time
            // just before the time of the alarm. In that case, the schedule gets the time of the alarm.
            self.update { state, now in state.schedule.advance(to: max(now, time ?? now)) }
        }
        // The alarm is set or canceled before the other effects. Otherwise, an alarm could still be pending when the
        // batch's promise is settled.
        if let set { effects.insert(set, at: 0) }
        return effects
    }

    private func effect(of action: Schedule.Action, _ state: inout State, _ now: Double) -> (() -> Void)? {
        switch action {
        case .begin(let item):
            return state.unbegun.removeValue(forKey: item).map { work in { self.begin(work, item) } }
        case .send(let item):
            return state.permits.removeValue(forKey: item).map { permit in { permit.fulfill(()) } }
        case .refuse(let item, let seconds):
            return state.permits.removeValue(forKey: item).map { permit in
                { permit.reject(GateClosed(seconds: seconds)) }
            }
        case .fail(let item):
            return state.permits.removeValue(forKey: item).map { permit in { permit.reject(GateGaveUp()) } }
        case .expire(let item): return state.slots[item].map { slot in { slot.expire() } }
        case .abandon(let item):
            if let permit = state.permits.removeValue(forKey: item) { return { permit.reject(BatchStopped()) } }
            if let work = state.unbegun.removeValue(forKey: item) {
                state.tallies[work.quota.service, default: BatchTally()].givenUp += 1
                state.schedule.end(item, now: now)
            }
            return nil
        case .report(let notice):
            state.tallies[notice.service, default: BatchTally()].record(notice)
            return { [trouble = state.troubles[notice.service]] in self.report(notice, trouble) }
        }
    }

    private func read(_ source: Source) {
        source().settled().done(on: nil) { outcome in
            self.update { state, now in
                state.isReading = false
                switch outcome {
                case .success(let item?) where state.schedule.isStopped:
                    state.tallies[item.quota.service, default: BatchTally()].givenUp += 1
                case .success(let item?):
                    state.lastItem += 1
                    state.unbegun[state.lastItem] = item
                    state.schedule.add(state.lastItem, item.quota, failedBefore: item.failedBefore, now: now)
                case .success(nil):
                    state.isAtEnd = true
                    state.schedule.endInput(now: now)
                case .failure(let error): state.failure = state.failure ?? error
                }
            }
        }
    }
}

extension SentRequest {
    /// A text that says which server did not respond as expected, and what happened instead.
    fileprivate var trouble: String {
        let reason =
            switch result {
            case .success(let response): "it answered \(response.status)"
            case .failure(let error): Secrets(request).hide("\(error)")
            }
        let port = request.url.port.map { ":\($0)" } ?? ""
        return "\(request.url.host ?? "the server")\(port): \(reason)"
    }
}

/// The error of requests that still wait when their batch is stopped.
struct BatchStopped: CancellableError {
    var isCancelled: Bool { true }
}

/// Returns a promise of the next item that satisfies `isWanted`, or of nil if no such item is left. Don't call it again
/// before the promise has settled.
typealias ItemSource<Item: Sendable> = @Sendable (_ isWanted: @escaping @Sendable (Item) -> Bool) -> Promise<Item?>

/// Returns a source of the elements of a sequence. The source reads the sequence on a queue of its own, because the
/// iterator may block.
func itemSource<Items: Sequence & Sendable>(_ items: Items) -> ItemSource<Items.Element> {
    let queue = DispatchQueue(label: "pledge.batch.items")
    let iterator = Locked<Items.Iterator?>(nil)
    return { isWanted in
        queue.async(.promise) {
            iterator.withLock { iterator in
                var next = iterator.take() ?? items.makeIterator()
                defer { iterator = next }
                while let item = next.next() {
                    if isWanted(item) { return item }
                }
                return nil
            }
        }
    }
}

/// The elements of an asynchronous sequence.
final class AsyncItems<Items: AsyncSequence & Sendable>: @unchecked Sendable where Items.Element: Sendable {
    // Unchecked: only one task at a time uses the iterator, because the batch asks for the next element only after it
    // has received the previous one.
    private var iterator: Items.AsyncIterator

    init(_ items: Items) { iterator = items.makeAsyncIterator() }

    func next(_ isWanted: @escaping @Sendable (Items.Element) -> Bool) -> Promise<Items.Element?> {
        Promise { [self] in
            while let item = try await iterator.next() {
                if isWanted(item) { return item }
            }
            return nil
        }
    }
}
