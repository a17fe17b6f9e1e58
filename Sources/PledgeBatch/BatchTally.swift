import Foundation
import PledgeCoding
import PledgeHTTP

/// The counts of a batch, either of all its items or of the items of one service: results, errors, requests, and waits.
public struct BatchTally: Sendable {
    /// The number of items with a result.
    public var done = 0
    /// The number of items with an error, by the kind of the error.
    public var errors: [String: Int] = [:]
    /// The number of items in which one list failed but others did not, by the name of the list and then by the kind of
    /// its error.
    package var lists: [String: [String: Int]] = [:]
    /// The number of list elements that could not be read, by the name of the list. An unreadable element is left out
    /// of its list, and the item with that list usually still has a result.
    package var unreadable: [String: Int] = [:]
    /// The number of items that the batch took from its input, but gave up without a result.
    public var givenUp = 0
    /// The number of requests that were sent.
    public var requests = 0
    /// The number of attempts to send a request again.
    public var retries = 0
    /// The number of responses that refused a request because of a rate limit.
    public var limited = 0
    /// The number of times that an item gave up its slot in order to wait.
    public var waits = 0
    /// The total time that items waited, in seconds.
    public var waitSeconds = 0.0
    /// The total size of all responses, in bytes.
    public var bytes = 0
    /// A histogram of the times between sending a request and receiving its response.
    public var latency = LatencyHistogram()
    /// The number of times that a service went down.
    public var outages = 0
    /// The total duration of the outages, in seconds. An outage is added when it is over, or when the service is given
    /// up.
    public var outageSeconds = 0.0
    /// The services that went down and did not work again in time.
    public var down: [String] = []

    /// Creates counts that are all zero.
    public init() {}

    /// The number of items with an error.
    public var failed: Int { errors.values.reduce(0, +) }

    package mutating func add(_ other: BatchTally) {
        done += other.done
        errors.merge(other.errors, uniquingKeysWith: +)
        lists.merge(other.lists) { $0.merging($1, uniquingKeysWith: +) }
        unreadable.merge(other.unreadable, uniquingKeysWith: +)
        givenUp += other.givenUp
        requests += other.requests
        retries += other.retries
        limited += other.limited
        waits += other.waits
        waitSeconds += other.waitSeconds
        bytes += other.bytes
        latency.add(other.latency)
        outages += other.outages
        outageSeconds += other.outageSeconds
        down += other.down
    }

    /// Counts an attempt. `seconds` is the time that the response took, and `bytes` is its size.
    mutating func record(_ attempt: AttemptOutcome, isFirst: Bool, seconds: Double, bytes: Int) {
        if isFirst { requests += 1 }
        latency.record(seconds)
        self.bytes += bytes
        if attempt.kind == .limited { limited += 1 }
    }

    mutating func record(_ outcome: BatchItem.Outcome) {
        switch outcome {
        case .done(let unreadable):
            done += 1
            self.unreadable.merge(unreadable, uniquingKeysWith: +)
        case .failed(let kind, let failed, let unreadable):
            errors[kind, default: 0] += 1
            self.unreadable.merge(unreadable, uniquingKeysWith: +)
            for (list, kind) in failed { lists[list, default: [:]][kind, default: 0] += 1 }
        }
    }

    mutating func record(_ notice: Schedule.Notice) {
        switch notice {
        case .down: outages += 1
        case .probe: break
        case .up(_, let seconds): outageSeconds += seconds
        case .gone(let service, let seconds):
            outageSeconds += seconds
            down.append(service)
        }
    }
}

extension BatchTally: CustomStringConvertible {
    /// The counts of items and requests, on one line.
    public var description: String {
        let kinds = errors.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        var parts = ["\(done) done", failed > 0 ? "\(failed) failed (\(kinds))" : "0 failed"]
        if givenUp > 0 { parts.append("\(givenUp) given up") }
        parts.append("\(requests) requests, \(retries) of them repeated")
        if limited > 0 { parts.append("\(limited) limited, waited \(NumberText.duration(waitSeconds))") }
        if outages > 0 { parts.append("\(outages) outages of \(NumberText.duration(outageSeconds))") }
        if !down.isEmpty { parts.append("still down: \(down.sorted().joined(separator: ", "))") }
        return parts.joined(separator: "; ")
    }
}
