import Foundation
import Pledge
import PledgeHTTP
import PledgeTestSupport

/// Sends requests like the tool's transport, but with occasional faults, and only until the process ends.
final class TroubledTransport: HTTPTransport {
    private struct State {
        var dice: SeededGenerator
        var left: Int
        /// The number of requests that still meet an outage.
        var outage = 0
        var end: (@Sendable () -> Void)?
    }

    private enum Fate { case well, lost, refused, status(Int, HeaderFields), garbled }

    private static let carrier = StandardTransport(.default)
    private let state: Locked<State>
    private let share: Double

    /// - Parameters:
    ///   - share: The share of the requests that fail.
    ///   - ending: The request with which the process ends.
    init(seed: UInt64, share: Double, ending: Int) {
        self.share = share
        state = Locked(State(dice: SeededGenerator(seed: seed), left: ending))
    }

    func onEnd(_ end: @escaping @Sendable () -> Void) { state.withLock { $0.end = end } }

    func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
        let (fate, end) = state.withLock { state -> (Fate, (@Sendable () -> Void)?) in
            state.left -= 1
            let end = state.left == 0 ? state.end : nil
            if state.left == 0 { state.end = nil }
            // Once the process has ended, nothing counts any more.
            return (state.left <= 0 ? .refused : Self.fate(&state, share), end)
        }
        end?()
        switch fate {
        case .well: return Self.carrier.send(request)
        case .lost:
            return Self.carrier.send(request).then(on: nil) { _ in
                Promise(error: TransportError.connectionLost("a cable"))
            }
        case .refused: return Promise(error: TransportError.unreachable("nobody there"))
        case .status(let status, let headers):
            return .value(HTTPReply(url: request.url, status: status, headers: headers, body: Data("{}".utf8)))
        case .garbled:
            return .value(HTTPReply(url: request.url, status: 200, headers: [:], body: Data("<html>".utf8)))
        }
    }

    private static func fate(_ state: inout State, _ share: Double) -> Fate {
        if state.outage > 0 {
            state.outage -= 1
            return .refused
        }
        guard Double.random(in: 0..<1, using: &state.dice) < share else { return .well }
        switch Int.random(in: 0..<6, using: &state.dice) {
        case 0: return .lost
        case 1: return .status(503, [:])
        case 2: return .status(429, ["Retry-After": "60"])
        case 3: return .status(429, [:])
        case 4: return .garbled
        default:
            state.outage = Int.random(in: 1...20, using: &state.dice)
            return .refused
        }
    }
}

/// A clock on which every wait ends at once.
final class HurriedClock: Sendable {
    private let date: Locked<Date>
    private let alarms = DispatchQueue(label: "hurried clock")

    init(_ date: Date) { self.date = Locked(date) }

    var timekeeper: Timekeeper {
        Timekeeper(
            now: { self.date.withLock { $0 } },
            schedule: { seconds, work in
                let (due, isCalledOff) = (self.date.withLock { $0 + seconds }, Locked(false))
                self.alarms.async {
                    guard !isCalledOff.withLock({ $0 }) else { return }
                    self.date.withLock { $0 = max($0, due) }
                    work()
                }
                return { isCalledOff.withLock { $0 = true } }
            })
    }
}
