import Callgrind
import Foundation

/// The instructions that a unit of work takes.
struct Instructions: Encodable {
    let work: Beside
    let pledge: Double
    let swift: Double

    /// Counts the instructions. Returns nil without valgrind.
    init?(_ work: Beside) {
        let counts = ["pledge", "swift"].compactMap { kind in
            // The awaited work runs on a single processor. With several processors, chance would decide whether a value
            // has already arrived when a task asks for it, and the counts would vary.
            Callgrind.perUnit(5_000, 20_000, onOneProcessor: work == .awaited) {
                [Bundle.main.executablePath ?? "", "count", work.rawValue, kind, "\($0)"]
            }
        }
        guard counts.count == 2 else { return nil }
        (self.work, pledge, swift) = (work, counts[0], counts[1])
    }

    var row: [String] {
        [work.title, pledge.rounded(to: 0), swift.rounded(to: 0), (pledge / swift).rounded(to: 2)]
    }

    var gate: Gate? {
        work.limit.map { Gate(title: "\(work.rawValue), instructions, of Swift's", figure: pledge / swift, limit: $0) }
    }
}
