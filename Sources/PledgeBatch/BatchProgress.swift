import Foundation
import PledgeCoding
import PledgeHTTP

/// How far a batch is at one moment. It is meant for people, for a dashboard, or for a file of metrics.
public struct BatchProgress: Sendable, CustomStringConvertible {
    /// The number of items with a result.
    public var done: Int
    /// The number of items with an error.
    public var failed: Int
    /// The number of items that wait for a limit, a retry, or a service.
    public var waiting: Int
    /// When the first of the waiting items continues; nil if that is not known.
    public var wake: Date?
    /// The number of items left, including those in progress; nil if unknown.
    public var left: Int?
    /// The seconds since the run began.
    public var elapsed: TimeInterval

    /// The counts so far, by service. A service without items has no entry.
    public var tallies: [String: BatchTally] = [:]
    /// The services that are down, or did not come back.
    public var down: Set<String> = []

    /// The counts of all services.
    public var tally: BatchTally {
        tallies.sorted { $0.key < $1.key }.reduce(into: BatchTally()) { $0.add($1.value) }
    }

    /// The number of items with a result or an error.
    public var finished: Int { done + failed }

    /// The number of items that finish in a second.
    public var rate: Double { elapsed > 0 ? Double(finished) / elapsed : 0 }

    /// The seconds until the end, if the rate stays the same; nil if unknown.
    public var eta: Double? {
        guard let left, rate > 0 else { return nil }
        return Double(left) / rate
    }

    /// `1,204 done, 3 failed, 2 waiting until 07:30:12Z, 21.4/s, 5 min left`
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
        done: Int = 0, failed: Int = 0, waiting: Int = 0, wake: Date? = nil, left: Int? = nil, elapsed: Double = 0
    ) {
        self.done = done
        self.failed = failed
        self.waiting = waiting
        self.wake = wake
        self.left = left
        self.elapsed = elapsed
    }

    private static func time(_ date: Date) -> String {
        String(Timestamp.text(date).suffix(9))
    }
}

/// The counts of a batch, or of the items of a service in it, and their costs.
public struct BatchTally: Sendable {
    /// The number of items with a result.
    public var done = 0
    /// The number of items with an error, by kind.
    public var errors: [String: Int] = [:]
    /// The number of items in which a list failed while other lists did not, by list and kind.
    public var lists: [String: [String: Int]] = [:]
    /// The number of unreadable parts of items, by list. Most of these items have a result nevertheless.
    public var unreadable: [String: Int] = [:]
    /// The number of items that were begun or taken but given up without a result.
    public var left = 0
    /// The number of requests that were sent.
    public var requests = 0
    /// The number of attempts after a request's first.
    public var retries = 0
    /// The number of responses that required waiting for a limit.
    public var limited = 0
    /// The number of times items gave up their slot to wait.
    public var waits = 0
    /// The seconds for which items waited, in total.
    public var waitSeconds = 0.0
    /// The size of all responses, in bytes.
    public var bytes = 0
    /// The times from sending a request to its response, in seconds.
    public var latency = LatencyHistogram()
    /// The number of outages.
    public var outages = 0
    /// The seconds that the outages lasted, in total.
    public var outageSeconds = 0.0
    /// The services that did not come back.
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
        left += other.left
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

    /// Counts an attempt. `seconds` is the time until its response, and `bytes` the size of the response.
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
        if left > 0 { parts.append("\(left) left") }
        parts.append("\(requests) requests, \(retries) of them repeated")
        if limited > 0 { parts.append("\(limited) limited, waited \(NumberText.duration(waitSeconds))") }
        if outages > 0 { parts.append("\(outages) outages of \(NumberText.duration(outageSeconds))") }
        if !down.isEmpty { parts.append("still down: \(down.sorted().joined(separator: ", "))") }
        return parts.joined(separator: "; ")
    }
}

/// A histogram of durations. Each bucket ends ten percent above its start.
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

    /// Returns the seconds that this share of the durations did not exceed; 0 if there are no durations.
    public func quantile(_ share: Double) -> Double {
        var rest = Int((min(max(0, share), 1) * Double(count)).rounded(.up))
        // The last bucket has no upper end.
        for (bucket, count) in counts.dropLast().enumerated() {
            rest -= count
            if rest <= 0 { return min(Self.shortest * pow(Self.step, Double(bucket + 1)), longest) }
        }
        return longest
    }
}
