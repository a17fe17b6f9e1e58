import Foundation

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
