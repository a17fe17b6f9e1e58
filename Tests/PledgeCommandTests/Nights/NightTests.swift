import Foundation
import Pledge
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// `PLEDGE_NIGHT` selects only the one with that seed.
@Suite("Simulated nights", .timeLimit(.minutes(60)))
struct NightTests {
    private static let environment = ProcessInfo.processInfo.environment

    private static var seeds: Range<UInt64> {
        if let only = environment["PLEDGE_NIGHT"].flatMap(UInt64.init) { return only..<only + 1 }
        return 1..<1 + UInt64(Rounds.count(usual: 400))
    }

    private static func failure(_ night: Night) -> String? {
        do {
            try NightRun(night).live()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test("Whatever happens, every account has one line or is left for the next run, and no limit is exceeded")
    func nights() async {
        let seeds = Self.seeds
        print("nights: seeds \(seeds)")
        let failed: UInt64? = await withCheckedContinuation { continuation in
            // Not on a thread of Swift's pool, of which there are few.
            DispatchQueue.global().async {
                let first = Locked<UInt64?>(nil)
                let step = 50
                DispatchQueue.concurrentPerform(iterations: (seeds.count + step - 1) / step) { part in
                    let begin = seeds.lowerBound + UInt64(part * step)
                    for seed in begin..<min(begin + UInt64(step), seeds.upperBound) {
                        guard first.withLock({ $0.map { $0 > seed } ?? true }) else { return }
                        if Self.failure(Night(seed: seed)) != nil { first.withLock { $0 = min($0 ?? seed, seed) } }
                    }
                }
                continuation.resume(returning: first.withLock { $0 })
            }
        }
        if let failed { Issue.record(Comment(rawValue: Self.report(Night(seed: failed)))) }
    }

    @Test("A night is the same each time")
    func deterministic() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let runs = [NightRun(Night(seed: seed), telling: true), NightRun(Night(seed: seed), telling: true)]
            for run in runs { try run.live() }
            #expect(runs[0].history == runs[1].history)
            #expect(!runs[0].history.isEmpty)
        }
    }

    /// Describes the smallest night found that fails, too, and what happened in it.
    private static func report(_ night: Night) -> String {
        let shrunk = shrink(night)
        let run = NightRun(shrunk, telling: true)
        try? run.live()
        return """
            night \(night.seed): \(failure(night) ?? "")
            Smallest: \(failure(shrunk) ?? "")
            \(shrunk.description)
            \(run.history.suffix(200).joined(separator: "\n"))
            """
    }

    private static func shrink(_ night: Night) -> Night {
        var best = night
        var deadline = 2_000
        func attempt(_ change: (inout Night) -> Void) -> Bool {
            guard deadline > 0 else { return false }
            deadline -= 1
            var smaller = best
            change(&smaller)
            guard failure(smaller) != nil else { return false }
            best = smaller
            return true
        }
        var goesOn = true
        while goesOn, deadline > 0 {
            goesOn = false
            for index in best.outages.indices.reversed() where attempt({ $0.outages.remove(at: index) }) {
                goesOn = true
            }
            for index in best.processes.indices.reversed() where attempt({ $0.processes.remove(at: index) }) {
                goesOn = true
            }
            var size = max(1, best.accounts.count / 2)
            while size > 0 {
                var start = 0
                while start < best.accounts.count {
                    let part = start..<min(start + size, best.accounts.count)
                    if attempt({ $0.accounts.removeSubrange(part) }) { goesOn = true } else { start += size }
                }
                size /= 2
            }
            for index in best.processes.indices where best.processes[index].faults != SimulatedDisk.Faults() {
                if attempt({ $0.processes[index].faults = SimulatedDisk.Faults() }) { goesOn = true }
            }
        }
        return best
    }
}
