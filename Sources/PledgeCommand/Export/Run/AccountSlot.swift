import Pledge
import PledgeHTTP

/// An account under way: whether it waits for the service, and how to give it up.
final class AccountSlot: Sendable {
    private struct State {
        var isWaiting = false
        var isGivenUp = false
        var cancel: (@Sendable () -> Void)?
    }

    /// Spaces the requests of its token.
    let limiter: RateLimiter
    private let state = Locked(State())

    init(limiter: RateLimiter) {
        self.limiter = limiter
    }

    /// Whether it waits for a limit of the service, or of ours.
    var isWaiting: Bool { state.withLock(\.isWaiting) || limiter.available == 0 }

    /// - Parameter cancel: ends the work.
    func begin(_ cancel: @escaping @Sendable () -> Void) {
        let isGivenUp = state.withLock { state in
            state.cancel = cancel
            return state.isGivenUp
        }
        if isGivenUp, isWaiting { cancel() }
    }

    /// Ends the work as soon as it waits for a limit: that could take an hour.
    func doNotWait() {
        let cancel = state.withLock { state in
            state.isGivenUp = true
            return state.cancel
        }
        if isWaiting { cancel?() }
    }

    fileprivate func noteWaiting(_ isWaiting: Bool) {
        let cancel = state.withLock { state in
            state.isWaiting = isWaiting
            return state.isGivenUp && isWaiting ? state.cancel : nil
        }
        cancel?()
    }

    /// A transport that tells when the service asks to wait.
    func watching(_ transport: any HTTPTransport) -> any HTTPTransport {
        WatchedTransport(slot: self, transport: transport)
    }
}

private struct WatchedTransport: HTTPTransport {
    let slot: AccountSlot
    let transport: any HTTPTransport

    func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
        slot.noteWaiting(false)
        return transport.send(request).get(on: .pledge) { reply in
            if reply.status == 429 || reply.headers["Retry-After"] != nil { slot.noteWaiting(true) }
        }
    }
}
