import Foundation
import Pledge
import PledgeHTTP

/// An item at work in a batch. It connects clients to the batch's schedule, and knows what the item has cost.
public final class BatchSlot: Sendable {
    /// The cost of an item.
    public struct Cost: Sendable {
        /// The number of requests that were sent. A redirect and a renewed token count as one request each.
        public var requests = 0
        /// The number of attempts. A request may need several.
        public var attempts = 0
    }

    private let item: Schedule.Item
    private let service: String
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
    /// Lets the item's requests wait one after another, because the schedule knows only one waiting request of an item
    /// at a time.
    private let turns = Semaphore(width: 1)

    init(_ item: Schedule.Item, _ service: String, _ batch: BatchEngine) {
        self.item = item
        self.service = service
        self.batch = batch
        begun = batch.clock.uptime()
    }

    /// What the item has cost so far.
    public var cost: Cost { state.withLock(\.cost) }
    /// The time since the item's work began, in seconds.
    public var seconds: Double { batch.clock.uptime() - begun }
    package var now: Date { batch.clock.now() }
    /// Whether the batch is to end. If so, this item should end as soon as possible.
    public var isStopped: Bool { batch.isStopped }

    /// Whether the last response cannot have come from the service itself, because it was a truncated body or a web
    /// page.
    package var isGarbled: Bool { state.withLock(\.isGarbled) }

    /// Whether the service failed to answer the last request. That may be the item's fault.
    var isFault: Bool { state.withLock(\.isFault) }

    /// Whether a request of the item was canceled because the batch ends.
    var isAbandoned: Bool { state.withLock(\.isAbandoned) }

    /// Returns the options of a client whose requests the batch schedules and sends.
    ///
    /// Each request is sent as soon as the batch permits it, and repeated if that may help. The limiter and the retry
    /// rule of the options do not apply. A request that is not safe to repeat is repeated only if it had no effect: a
    /// limit refused it, or no connection could be made. If a limit requires waiting longer than allowed, calls reject
    /// with an `ExchangeError` for the reason `limited`. If the batch is stopped meanwhile, they reject with a
    /// cancellation.
    public func options(_ options: EndpointClient.Options) -> EndpointClient.Options {
        options.with {
            $0.gate = { ItemRequest(self, $0) }
            $0.transport = batch.transport
            $0.clock = batch.clock
        }
    }

    /// Returns a promise that follows the work of the item. If the work takes longer than the rules allow, it is
    /// canceled, and the promise rejects at once, even if the work ignores the cancellation.
    func limiting<Value: Sendable>(_ work: Promise<Value>) -> Promise<Value> {
        guard let longest = batch.longestWork else { return work }
        let (limited, resolver) = Promise<Value>.pending()
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
        return limited
    }

    func expire() { state.withLock { $0.expire.take() }?() }

    /// Calls a closure whenever a request of the item is about to wait, so that the closure can free memory.
    public func whenParked(_ spill: @escaping @Sendable () -> Void) {
        state.withLock { $0.spill = spill }
    }
}

extension BatchSlot {
    private final class ItemRequest: GatedRequest {
        private let slot: BatchSlot
        private let mayRepeat: Bool
        private let state = Locked((count: AttemptCount(), notBefore: Double?.none))

        init(_ slot: BatchSlot, _ mayRepeat: Bool) { (self.slot, self.mayRepeat) = (slot, mayRepeat) }

        func permit(onWait: @escaping @Sendable (Double) -> Void) -> Promise<Void> {
            let time = state.withLock(\.notBefore)
            let permit = slot.turns.enter { [slot] in slot.batch.permit(slot.item, notBefore: time) }
            if permit.isPending { slot.state.withLock(\.spill)?() }
            // A request that was never sent has no outcome that it could end with.
            return permit.mapError(on: nil) { $0 is GateGaveUp && time == nil ? BatchStopped() : $0 }
                .tap(on: nil) { [slot] outcome in
                    if case .failure(is BatchStopped) = outcome { slot.state.withLock { $0.isAbandoned = true } }
                }
        }

        func record(_ attempt: AttemptOutcome, _ sent: SentRequest, seconds: TimeInterval) -> TimeInterval? {
            // The count is changed without the lock: meanwhile, the batch permits other requests, but this one only
            // when it asks again.
            let (counted, before) = state.withLock { $0 }
            var count = counted
            // Requests are counted here rather than when they are permitted, because a permitted request may fail
            // before it is sent, for example if there is no other token.
            slot.state.withLock { state in
                state.isGarbled = attempt.kind == .garbled
                state.isFault = attempt.kind == .fault
                state.cost.attempts += 1
                if before == nil { state.cost.requests += 1 }
            }
            let again = slot.batch.record(
                attempt, of: slot.item, &count, service: slot.service, isFirst: before == nil, mayRepeat: mayRepeat,
                trouble: sent.trouble, seconds: seconds, bytes: sent.response?.byteCount ?? 0)
            state.withLock { $0 = (count, again?.time) }
            return again?.pause
        }
    }
}

extension SentRequest {
    /// The server that did not respond as it should, and the reason.
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
