import Pledge
import PledgeCoding

/// A thread-safe collection of warnings about items that could not be decoded. It keeps the first hundred warnings, and
/// only counts the others.
final class Warnings: Sendable {
    private let list = Locked<(first: [String], more: Int, hasLosses: Bool)>(([], 0, false))
    private static let mostKept = 100

    /// - Parameter isLost: Whether the whole item is missing from the list. If false, only the part that could not be
    ///   decoded is missing.
    func add(_ warning: String, isLost: Bool = true) {
        list.withLock { list in
            list.hasLosses = list.hasLosses || isLost
            if list.first.count < Self.mostKept { list.first.append(warning) } else { list.more += 1 }
        }
    }

    /// The exit code of a command whose lists were printed. It isn't 0 if an item is missing from a list.
    var exitCode: ExitCode { list.withLock(\.hasLosses) ? .partial : .success }

    var all: [String] {
        list.withLock { $0.more == 0 ? $0.first : $0.first + ["And \(NumberText.counted($0.more, "more item"))."] }
    }
}
