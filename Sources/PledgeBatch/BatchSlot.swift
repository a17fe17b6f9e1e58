import Foundation
import Pledge
import PledgeHTTP

/// The slot in which an item of a batch works. It connects the item's clients to the batch's schedule, and counts the
/// requests that the item sends.
public final class BatchSlot: Sendable {
    /// The numbers of requests and attempts that an item needed.
    public struct Cost: Sendable {
        /// The number of requests that were sent. Each redirect counts as another request, and so does each repetition
        /// with a renewed token.
        public var requests = 0
        /// The number of attempts to send the requests. A request that is retried needs several attempts.
        public var attempts = 0
    }

    let item: Schedule.Item
    let service: String
    private let batch: BatchEngine
    private let begun: TimeInterval
    private struct State {
        var cost = Cost()
        var isGarbled = false
        var isFault = false
        var isAbandoned = false
        var spill: (@Sendable () -> Void)?
        var expire: (@Sendable () -> Void)?
    }
    private let state = Locked(State())
    /// Lets only one request of the item at a time wait for a permit, because the schedule can track only one waiting
    /// request for each item.
    private let turns = Semaphore(width: 1)

    init(_ item: Schedule.Item, _ service: String, _ batch: BatchEngine) {
        self.item = item
        self.service = service
        self.batch = batch
        begun = batch.clock.uptime()
    }

    /// The numbers of requests and attempts that the item has needed so far.
    public var cost: Cost { state.withLock(\.cost) }
    /// The time since the item's work began, in seconds.
    public var seconds: Double { batch.clock.uptime() - begun }
    package var now: Date { batch.clock.now() }
    /// Whether the batch was stopped. If so, the item's work should end as soon as possible.
    public var isStopped: Bool { batch.isStopped }

    /// Whether the last response cannot have come from the service itself, because its body was truncated or was a web
    /// page.
    package var isGarbled: Bool { state.withLock(\.isGarbled) }

    /// Whether the last request got no response, or a response that reports a fault of the service. The item itself may
    /// be the cause.
    var isFault: Bool { state.withLock(\.isFault) }

    /// Whether the batch was stopped, and therefore canceled a request of the item.
    var isAbandoned: Bool { state.withLock(\.isAbandoned) }

    /// Returns options for a client whose requests the batch schedules and sends.
    ///
    /// Each request waits until the batch permits it. A failed request is retried by the rules of the batch. The
    /// limiter and the retry rule in the options that you pass have no effect.
    ///
    /// A request that is not safe to repeat is retried only if it had no effect. That is known if a rate limit refused
    /// the request, or if no connection could be made.
    ///
    /// If a request would have to wait longer for a limit than ``BatchRules/longestWait`` permits, its call rejects
    /// with an `ExchangeError` whose reason is `limited`. If the batch is stopped while a request waits, its call
    /// rejects as canceled.
    public func options(_ options: EndpointClient.Options) -> EndpointClient.Options {
        options.with {
            $0.gate = { ItemGate(self, $0) }
            $0.transport = batch.transport
            $0.clock = batch.clock
        }
    }

    /// Returns a promise that settles like the work of the item. If the work takes longer than the rules permit, the
    /// work is canceled, and the promise rejects immediately, even if the work ignores the cancellation.
    func expiring<Value: Sendable>(_ work: Promise<Value>) -> Promise<Value> {
        guard let longest = batch.longestWork else { return work }
        let (expiring, resolver) = Promise<Value>.pending()
        state.withLock { state in
            state.expire = {
                resolver.reject(BatchError.timedOut(seconds: longest))
                work.cancel()
            }
        }
        work.pipe { outcome in
            self.state.withLock { $0.expire = nil }
            resolver.resolve(outcome)
        }
        return expiring
    }

    func expire() { state.withLock { $0.expire.take() }?() }

    /// Sets a closure that is called whenever a request of the item begins to wait. The closure should free memory that
    /// the item doesn't need meanwhile, because many items may wait at the same time.
    public func whenParked(_ spill: @escaping @Sendable () -> Void) {
        state.withLock { $0.spill = spill }
    }
}

extension BatchSlot {
    private final class ItemGate: RequestGate {
        private let slot: BatchSlot
        private let mayRepeat: Bool
        private let state = Locked((count: AttemptCount(), isRetry: false))

        init(_ slot: BatchSlot, _ mayRepeat: Bool) { (self.slot, self.mayRepeat) = (slot, mayRepeat) }

        func permit(after pause: RetryPause?, onWait: @escaping @Sendable (Double) -> Void) -> Promise<Void> {
            state.withLock { $0.isRetry = pause != nil }
            let permit = slot.turns.enter { [slot] in slot.batch.permit(slot.item, after: pause) }
            if permit.isPending { slot.state.withLock(\.spill)?() }
            // If the service did not come back, a request that was sent before ends with the outcome of its last
            // attempt. A request that was never sent has no such outcome, so it is canceled.
            return permit.mapError(on: nil) { $0 is GateGaveUp && pause == nil ? BatchStopped() : $0 }
                .tap(on: nil) { [slot] outcome in
                    if case .failure(is BatchStopped) = outcome { slot.state.withLock { $0.isAbandoned = true } }
                }
        }

        func record(_ attempt: AttemptOutcome, _ sent: SentRequest, seconds: TimeInterval) -> RetryPause? {
            // The count is changed outside the lock. Nothing else can change it meanwhile, because this request asks
            // for its next permit only after this call has returned.
            let (counted, isRetry) = state.withLock { $0 }
            var count = counted
            // Requests are counted here, not when they are permitted. A permitted request may fail before it is sent,
            // for example because getting an access token failed.
            slot.state.withLock { state in
                state.isGarbled = attempt.kind == .garbled
                state.isFault = attempt.kind == .fault
                state.cost.attempts += 1
                if !isRetry { state.cost.requests += 1 }
            }
            let pause = slot.batch.record(
                attempt, sent, of: slot, &count, isFirst: !isRetry, mayRepeat: mayRepeat, seconds: seconds)
            state.withLock { $0.count = count }
            return pause
        }
    }
}
