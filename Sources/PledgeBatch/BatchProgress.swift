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
