import Foundation
import PledgeCoding

/// How far a batch is, as of one moment: for people, a dashboard, or a file of metrics.
public struct BatchProgress: Sendable, CustomStringConvertible {
    /// The number of items with a result.
    public var done: Int
    /// The number of items with an error.
    public var failed: Int
    /// The number of items that wait for a limit, a retry, or a service.
    public var waiting: Int
    /// When the first of them continues; nil if that is not known.
    public var wake: Date?
    /// The number of items left, including those in progress; nil if unknown.
    public var left: Int?
    /// The seconds since the run began.
    public var elapsed: TimeInterval

    /// The counts so far, by service; none for a service without items.
    public var tallies: [String: BatchTally] = [:]
    /// The services that are down, or did not come back.
    public var down: Set<String> = []

    /// The counts of all services.
    public var tally: BatchTally {
        tallies.sorted { $0.key < $1.key }.reduce(into: BatchTally()) { $0.add($1.value) }
    }

    /// The number of items with a result or an error.
    public var finished: Int { done + failed }

    /// The number of items finished a second.
    public var rate: Double { elapsed > 0 ? Double(finished) / elapsed : 0 }

    /// Seconds until the end, at this rate; nil if unknown.
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
        (self.done, self.failed, self.waiting) = (done, failed, waiting)
        (self.wake, self.left, self.elapsed) = (wake, left, elapsed)
    }

    private static func time(_ date: Date) -> String {
        String(Timestamp.text(date).suffix(9))
    }
}
