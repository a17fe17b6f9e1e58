import Foundation

/// The counts of a batch, and its costs. The names are those of `--summary`.
struct Tally: Sendable, Encodable {
    /// The number of accounts with a result.
    var done = 0
    /// The number of accounts with an error, by kind.
    var errors: [String: Int] = [:]
    /// The number of accounts that were started or read but given up without a line: they are left for the next run.
    var left = 0
    var requests = 0
    /// The number of attempts after a request's first.
    var retries = 0
    /// The number of responses that required waiting for a limit.
    var limited = 0
    /// The number of times accounts gave up their place to wait, and the seconds in total.
    var waits = 0
    var waitSeconds = 0.0
    var bytes = 0
    /// The seconds from sending a request to its response.
    var latency = LatencyHistogram()
    /// By service: the number of outages, and their seconds in total.
    var outages = 0
    var outageSeconds = 0.0
    /// The services that did not come back.
    var down: [AccountID.Service] = []

    var failed: Int { errors.values.reduce(0, +) }

    /// - Parameters:
    ///   - seconds: The duration until the response.
    ///   - bytes: The size of the response.
    mutating func note(_ attempt: Attempt, seconds: Double, bytes: Int) {
        latency.note(seconds)
        self.bytes += bytes
        if case .limited = attempt.outcome { limited += 1 }
    }

    mutating func note(_ outcome: Batch.Outcome) {
        switch outcome {
        case .done: done += 1
        case .failed(let kind): errors[kind, default: 0] += 1
        }
    }

    mutating func note(_ note: Schedule.Note) {
        switch note {
        case .down: outages += 1
        case .probe: break
        case .up(_, let seconds): outageSeconds += seconds
        case .gone(let service, let seconds):
            outageSeconds += seconds
            down.append(service)
        }
    }
}

/// A histogram of durations, in buckets a tenth apart.
struct LatencyHistogram: Sendable, Encodable {
    private var counts = [Int](repeating: 0, count: 160)
    private(set) var count = 0
    private(set) var sum = 0.0
    private(set) var longest = 0.0

    private static let shortest = 0.0001
    private static let step = 1.1

    mutating func note(_ seconds: Double) {
        let place = log(max(seconds, Self.shortest) / Self.shortest) / log(Self.step)
        counts[min(Int(place), counts.count - 1)] += 1
        count += 1
        sum += seconds
        longest = max(longest, seconds)
    }

    /// Returns the duration that this share of them did not exceed; 0 if there are none.
    func quantile(_ share: Double) -> Double {
        var rest = Int((share * Double(count)).rounded(.up))
        for (place, count) in counts.enumerated() {
            rest -= count
            if rest <= 0 { return min(Self.shortest * pow(Self.step, Double(place + 1)), longest) }
        }
        return longest
    }

    func encode(to encoder: any Encoder) throws {
        let seconds = [
            "p50": quantile(0.5), "p90": quantile(0.9), "p99": quantile(0.99), "longest": longest,
        ]
        try seconds.mapValues { NumberText.rounded($0, decimals: 4) }.encode(to: encoder)
    }
}
