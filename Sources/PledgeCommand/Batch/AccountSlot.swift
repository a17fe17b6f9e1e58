import Foundation
import Pledge
import PledgeHTTP

/// An account in progress: the transport of its requests, which the batch schedules, and their cost.
final class AccountSlot: HTTPTransport {
    /// The cost of an account.
    struct Cost: Sendable {
        var requests = 0
        /// The number of attempts, of which a request may need several.
        var attempts = 0
    }

    let account: AccountLine
    let job: Schedule.Job
    private let batch: Batch
    private let begun: Date
    private struct State {
        var cost = Cost()
        var isGarbled = false
        var rest: (@Sendable () -> Void)?
    }
    private let state = Locked(State())

    init(_ account: AccountLine, _ job: Schedule.Job, _ batch: Batch) {
        self.account = account
        self.job = job
        self.batch = batch
        begun = batch.clock.now()
    }

    var cost: Cost { state.withLock(\.cost) }
    var seconds: Double { batch.clock.now().timeIntervalSince(begun) }
    var finished: Date { batch.clock.now() }
    /// Whether the batch is to end, and this account with it as soon as possible.
    var isStopped: Bool { batch.isStopped }

    /// Whether the last response cannot have come from the service itself: a truncated body or a web page.
    var isGarbled: Bool { state.withLock(\.isGarbled) }

    /// - Parameter rest: Called when the account is about to wait, to free memory.
    func whenParked(_ rest: @escaping @Sendable () -> Void) {
        state.withLock { $0.rest = rest }
    }

    func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
        let rest = state.withLock { state in
            state.cost.requests += 1
            return state.rest
        }
        let permit = batch.permit(job)
        if permit.isPending { rest?() }
        return permit.then(on: nil) { self.attempt(request) }
    }

    private func attempt(_ request: OutgoingRequest) -> Promise<HTTPReply> {
        state.withLock { $0.cost.attempts += 1 }
        let sent = batch.clock.now()
        return batch.transport.send(request).settled().then(on: nil) { outcome -> Promise<HTTPReply> in
            let now = self.batch.clock.now()
            let attempt = Attempt(outcome, now: now)
            let rest = self.state.withLock { state in
                state.isGarbled = attempt.outcome == .garbled
                return state.rest
            }
            let again = self.batch.answer(
                self.job, attempt, of: self.account.id.service, trouble: Self.trouble(outcome, request),
                seconds: now.timeIntervalSince(sent),
                bytes: (try? outcome.get())?.body.count ?? 0)
            guard let again else { return firstly { Promise.value(try outcome.get()) } }
            rest?()
            return again.then(on: nil) { self.attempt(request) }
        }
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
struct WaitTooLong: Error, CustomStringConvertible {
    var seconds: Double
    var allowed: Double

    var description: String {
        "The limit of this token requires waiting another \(Progress.duration(seconds)), but --wait allows "
            + "\(Progress.duration(allowed)) in total. Allow more, or repeat this account in another run."
    }
}
