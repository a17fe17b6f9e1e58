import Foundation
import PledgeCoding
import PledgeHTTP

/// How far a batch is at one moment. You can show it to people, display it on a dashboard, or write it to a metrics
/// file.
public struct BatchProgress: Sendable, CustomStringConvertible {
    /// The number of items that wait for a rate limit, a retry, or a service that is down.
    public var waiting: Int
    /// The time at which the first of the waiting items will continue; nil if unknown.
    public var wake: Date?
    /// The number of items that have not finished yet, including those in progress; nil if unknown.
    public var left: Int?
    /// The number of seconds since the run began.
    public var elapsed: TimeInterval

    /// The counts so far, by the name of the service. A service without items has no entry.
    public var tallies: [String: BatchTally]
    /// The services that are down now, including those that the batch has given up.
    public var down: Set<String> = []

    /// The sum of the counts of all services.
    public var tally: BatchTally {
        tallies.sorted { $0.key < $1.key }.reduce(into: BatchTally()) { $0.add($1.value) }
    }

    /// The number of items with a result.
    public var done: Int { tally.done }

    /// The number of items with an error.
    public var failed: Int { tally.failed }

    /// The number of items that have finished, with a result or an error.
    public var finished: Int { done + failed }

    /// The average number of items that finished per second.
    public var rate: Double { elapsed > 0 ? Double(finished) / elapsed : 0 }

    /// The number of seconds until the end if the rate stays the same; nil if unknown.
    public var eta: Double? {
        guard let left, rate > 0 else { return nil }
        return Double(left) / rate
    }

    /// The progress on one line, such as `1,204 done, 3 failed, 2 waiting until 07:30:12Z, 21.4/s, 5 min left`.
    public var description: String {
        var parts = ["\(NumberText.grouped(done)) done", "\(NumberText.grouped(failed)) failed"]
        if waiting > 0 {
            parts.append("\(NumberText.grouped(waiting)) waiting" + (wake.map { " until \(Self.time($0))" } ?? ""))
        }
        parts.append("\(NumberText.rounded(rate, decimals: 1))/s")
        if let eta { parts.append("\(NumberText.duration(eta)) left") }
        return parts.joined(separator: ", ")
    }

    package init(
        tallies: [String: BatchTally] = [:], waiting: Int = 0, wake: Date? = nil, left: Int? = nil, elapsed: Double = 0
    ) {
        self.tallies = tallies
        self.waiting = waiting
        self.wake = wake
        self.left = left
        self.elapsed = elapsed
    }

    private static func time(_ date: Date) -> String {
        String(Timestamp.text(date).suffix(9))
    }
}

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

/// A histogram of durations. The upper bound of each bucket is ten percent above its lower bound.
public struct LatencyHistogram: Sendable {
    private var counts = [Int](repeating: 0, count: 160)
    /// The number of durations.
    public private(set) var count = 0
    /// The sum of the durations, in seconds.
    public private(set) var sum = 0.0
    /// The longest duration, in seconds.
    public private(set) var longest = 0.0

    private static let shortest = 0.0001
    private static let step = 1.1

    mutating func record(_ seconds: Double) {
        let bucket = log(max(seconds, Self.shortest) / Self.shortest) / log(Self.step)
        counts[min(Int(bucket), counts.count - 1)] += 1
        count += 1
        sum += seconds
        longest = max(longest, seconds)
    }

    mutating func add(_ other: LatencyHistogram) {
        counts = zip(counts, other.counts).map(+)
        count += other.count
        sum += other.sum
        longest = max(longest, other.longest)
    }

    /// Returns a quantile of the durations, in seconds. For example, a share of 0.5 returns the median: half of the
    /// durations are at most that long. Returns 0 if there are no durations.
    public func quantile(_ share: Double) -> Double {
        var rest = Int((min(max(0, share), 1) * Double(count)).rounded(.up))
        // The last bucket is left out because it has no upper bound.
        for (bucket, count) in counts.dropLast().enumerated() {
            rest -= count
            if rest <= 0 { return min(Self.shortest * pow(Self.step, Double(bucket + 1)), longest) }
        }
        return longest
    }
}
