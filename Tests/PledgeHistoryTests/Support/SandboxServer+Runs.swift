import Pledge
import PledgeSandbox
import Testing

extension LoopbackServer {
    /// Starts runs one after the other, until a run isn't canceled. Returns the targets that each run requested.
    func requestsOfRuns(_ run: (_ number: Int) async throws -> Void) async throws -> [[String]] {
        var asked: [[String]] = []
        var isOver = false
        while !isOver {
            try #require(asked.count < 100, "the runs get no further")
            resetRequests()
            do {
                try await run(asked.count)
                isOver = true
            } catch PromiseError.cancelled {}
            let targets = requests.map(\.target)
            #expect(Set(targets).count == targets.count, "twice in one run: \(targets)")
            asked.append(targets)
        }
        return asked
    }
}

extension Sequence<String> {
    /// Returns the elements without those of a list. If an element occurs twice in the list, its first two occurrences
    /// are removed.
    func subtracting(_ list: [String]) -> [String] {
        var left = Dictionary(list.map { ($0, 1) }, uniquingKeysWith: +)
        return filter { element in
            defer { left[element, default: 0] -= 1 }
            return left[element, default: 0] <= 0
        }
    }
}
