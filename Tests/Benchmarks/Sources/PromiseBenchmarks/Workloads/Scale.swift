import Foundation
import Pledge

/// Measures whether a promise or a job costs more if there are a million of them instead of ten thousand.
enum Scale: String, CaseIterable, Encodable {
    case promises = "promises in one `when`"
    case jobs = "jobs under `when(concurrently:)`"

    /// The limit for promises is higher, because a million pending promises don't fit into any cache. Each access then
    /// waits for memory, and the wait is longer on a busy machine.
    var limit: Double { self == .promises ? 2 : 1.3 }

    /// Returns the CPU time per promise or job with a million of them, as a multiple of the CPU time with ten thousand.
    /// Both times are the minimum of several runs.
    func ratio() -> Double {
        _ = nanoseconds(10_000)
        let times = (0..<5).map { _ in
            (few: (0..<20).map { _ in nanoseconds(10_000) }.min() ?? .nan, many: nanoseconds(1_000_000))
        }
        return (times.map(\.many).min() ?? .nan) / (times.map(\.few).min() ?? .nan)
    }

    private func nanoseconds(_ count: Int) -> Double {
        let start = Self.used
        let sum = try? run(count)
        precondition(sum == (0..<count).reduce(0, +))
        return Double(Self.used - start) / Double(count)
    }

    private func run(_ count: Int) throws -> Int {
        switch self {
        case .promises:
            let pairs = (0..<count).map { _ in Promise<Int>.pending() }
            let all = when(fulfilled: pairs.map(\.promise))
            for (number, pair) in pairs.enumerated() { pair.resolver.fulfill(number) }
            return try all.wait().reduce(0, +)
        case .jobs:
            return try when(fulfilled: 0..<count, concurrently: 64) { Promise.value($0).map { $0 } }.wait().reduce(0, +)
        }
    }

    /// The CPU time of the process so far, in nanoseconds.
    static var used: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
