import Foundation
import Pledge
import PledgeHTTP

/// The place of an item in a batch: the transport of its requests, which the batch schedules, and their cost.
public final class BatchSlot: HTTPTransport {
    /// The cost of an item.
    public struct Cost: Sendable {
        /// The number of requests.
        public var requests = 0
        /// The number of attempts, of which a request may need several.
        public var attempts = 0
    }

    private let job: Schedule.Job
    private let service: String
    private let batch: BatchEngine
    private let begun: TimeInterval
    private struct State {
        var cost = Cost()
        var isGarbled = false
        var isAbandoned = false
        var rest: (@Sendable () -> Void)?
    }
    private let state = Locked(State())
    /// The schedule knows one request of an item at a time.
    private let turns = Semaphore(width: 1)

    init(_ job: Schedule.Job, _ service: String, _ batch: BatchEngine) {
        (self.job, self.service, self.batch) = (job, service, batch)
        begun = batch.clock.uptime()
    }

    /// What the item has cost so far.
    public var cost: Cost { state.withLock(\.cost) }
    /// The time since its work began, in seconds.
    public var seconds: Double { batch.clock.uptime() - begun }
    /// The date, by the batch's clock.
    package var finished: Date { batch.clock.now() }
    /// Whether the batch is to end, and this item with it as soon as possible.
    public var isStopped: Bool { batch.isStopped }

    /// Whether the last response cannot have come from the service itself: a truncated body or a web page.
    package var isGarbled: Bool { state.withLock(\.isGarbled) }

    /// Whether a request of the item was canceled because the batch ends.
    var isAbandoned: Bool { state.withLock(\.isAbandoned) }

    /// Returns the options of a client whose requests the batch schedules and retries.
    ///
    /// - Parameter options: The options that the client would have by itself.
    public func options(_ options: EndpointClient.Options) -> EndpointClient.Options {
        options.with { ($0.transport, $0.retry, $0.limiter) = (self, .never, nil) }
    }

    /// Calls a closure whenever the item is about to wait without a place, to free memory.
    public func whenParked(_ rest: @escaping @Sendable () -> Void) {
        state.withLock { $0.rest = rest }
    }

    /// Sends a request as soon as the batch permits it, and again where that may help.
    ///
    /// Requests of an item are sent one after another; many items make a batch fast. A request that must not be sent twice
    /// is repeated only if it had no effect: it was refused with 429, or no connection could be made.
    ///
    /// - Rejects: With ``WaitTooLong`` if a limit requires waiting longer than allowed; with a cancellation if the batch is
    ///   stopped meanwhile.
    public func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
        turns.enter { self.sendInTurn(request) }
    }

    private func sendInTurn(_ request: OutgoingRequest) -> Promise<HTTPReply> {
        let rest = state.withLock { state in
            state.cost.requests += 1
            return state.rest
        }
        let permit = batch.permit(job, of: service)
        if permit.isPending { rest?() }
        return permitted(permit, request)
    }

    private func attempt(_ request: OutgoingRequest) -> Promise<HTTPReply> {
        state.withLock { $0.cost.attempts += 1 }
        let sent = batch.clock.uptime()
        return batch.transport.send(request).settled().then(on: nil) { outcome -> Promise<HTTPReply> in
            // A date that the service specifies is compared with the clock now, and never again.
            let attempt = Attempt(outcome, expectsJSON: request.expectsJSON, now: self.batch.clock.now())
            let rest = self.state.withLock { state in
                state.isGarbled = attempt.outcome == .garbled
                return state.rest
            }
            let again = self.batch.answer(
                self.job, attempt, of: self.service, mayRepeat: request.isRepeatable,
                trouble: Self.trouble(outcome, request),
                seconds: self.batch.clock.uptime() - sent,
                bytes: (try? outcome.get())?.body.count ?? 0)
            guard let again else { return firstly { Promise.value(try outcome.get()) } }
            rest?()
            return self.permitted(again, request)
        }
    }

    private func permitted(_ permit: Promise<Void>, _ request: OutgoingRequest) -> Promise<HTTPReply> {
        permit.tap(on: nil) { outcome in
            if case .failure(is BatchStopped) = outcome { self.state.withLock { $0.isAbandoned = true } }
        }.then(on: nil) { self.attempt(request) }
    }

    /// Returns the server that did not respond as it should, and why not.
    private static func trouble(_ outcome: Result<HTTPReply, any Error>, _ request: OutgoingRequest) -> String {
        let reason =
            switch outcome {
            case .success(let reply): "it answered \(reply.status)"
            case .failure(let error): Secrets(request).hide("\(error)")
            }
        let port = request.url.port.map { ":\($0)" } ?? ""
        return "\(request.url.host ?? "the server")\(port): \(reason)"
    }
}

/// The reason a request was not sent: it would have had to wait too long for a limit.
public struct WaitTooLong: Error, CustomStringConvertible {
    /// The time that the limit requires to wait, in seconds.
    public var seconds: Double
    /// The time that an item may wait in total, in seconds.
    public var allowed: Double

    /// Both times, in words.
    public var description: String {
        "The limit of this token requires waiting another \(BatchProgress.duration(seconds)), but only "
            + "\(BatchProgress.duration(allowed)) in total are allowed."
    }
}
