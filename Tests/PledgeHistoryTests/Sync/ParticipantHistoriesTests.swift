import Pledge
import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHistory

// One at a time: each has databases and a server, and a process with some 1,400 open files can no longer start another
// on Linux, where Foundation then reads past the end of a list.
@Suite("Random histories of a participant", .serialized, .timeLimit(.minutes(60)))
struct ParticipantHistoriesTests {
    @Test("Syncing in steps has the same result as syncing once at the end", arguments: 0..<20)
    func histories(_ part: Int) async throws {
        let count = Rounds.count(usual: 5)
        for seed in stride(from: part, to: count, by: 20).map({ UInt64(77_000 + $0) }) {
            try await history(seed)
        }
    }

    @Test(
        "With a service that sometimes leaves out what it has, nothing is deleted, and reading it in full heals",
        arguments: 0..<20)
    func glitches(_ part: Int) async throws {
        let count = Rounds.count(usual: 3)
        for seed in stride(from: part, to: count, by: 20).map({ UInt64(91_000 + $0) }) {
            try await disturbed(seed)
        }
    }

    private func disturbed(_ seed: UInt64) async throws {
        let (scratch, bench) = (try TemporaryFolder(), try ParticipantBench(isEmpty: true))
        let steps = try History(scratch.path("steps.db"))
        var changes = ParticipantChanges(random: SeededGenerator(seed: seed), bench: bench)
        var dice = SeededGenerator(seed: ~seed)
        let glitches = Alteration.glitches(seed: seed, oneIn: 6)
        var stored = 0
        for _ in 0..<Int.random(in: 5...30, using: &dice) {
            changes.step()
            let event = Int.random(in: 0..<16, using: &dice)
            guard event < 5 else { continue }
            let left = Locked(event == 0 ? Int.random(in: 0...8, using: &dice) : .max)
            do {
                try await bench.sync(steps, altering: glitches) {
                    $0.isFull = event == 1
                    $0.acceptsRemovals = event == 2
                    $0.isStopped = { left.runsOut }
                }
            } catch PromiseError.cancelled {}
            let rows = try ["device_data_point", "survey_task", "survey_answer", "notification", "external_account"]
                .reduce(0) { $0 + (try steps.count($1)) }
            #expect(rows >= stored, "seed \(seed): rows were deleted")
            stored = rows
        }
        try await bench.sync(steps) { ($0.isFull, $0.acceptsRemovals) = (true, true) }
        try await compare(steps, with: bench, in: scratch, seed)
    }

    /// Compares a history with one that is synced at once.
    private func compare(
        _ steps: History, with bench: ParticipantBench, in scratch: TemporaryFolder, _ seed: UInt64
    ) async throws {
        let full = try History(scratch.path("full.db"))
        try await bench.sync(full)
        #expect(try Set(steps.content()).symmetricDifference(full.content()).sorted() == [], "seed \(seed)")
    }

    private func history(_ seed: UInt64) async throws {
        let (scratch, bench) = (try TemporaryFolder(), try ParticipantBench(isEmpty: true))
        let steps = try History(scratch.path("steps.db"))
        var changes = ParticipantChanges(random: SeededGenerator(seed: seed), bench: bench)
        var dice = SeededGenerator(seed: ~seed)
        for _ in 0..<Int.random(in: 5...30, using: &dice) {
            changes.step()
            guard Int.random(in: 0..<4, using: &dice) == 0 else { continue }
            let left = Locked(Int.random(in: 0..<3, using: &dice) == 0 ? Int.random(in: 0...8, using: &dice) : .max)
            do {
                try await bench.sync(steps) { $0.isStopped = { left.runsOut } }
            } catch PromiseError.cancelled {}
        }
        try await bench.sync(steps)
        try await compare(steps, with: bench, in: scratch, seed)
    }
}

/// Random changes to a participant's data.
private struct ParticipantChanges {
    var random: SeededGenerator
    let bench: ParticipantBench
    private var points: [Int: (namespace: String, observed: Date)] = [:]
    private var tasks: [Int: (isOpen: Bool, inserted: Date)] = [:]
    private var results: [Int: Date] = [:]
    private var sent: [Int: Date] = [:]
    private var number = 0

    init(random: SeededGenerator, bench: ParticipantBench) {
        self.random = random
        self.bench = bench
    }

    /// Returns the time on one of the service's servers, whose clocks differ by up to twenty minutes.
    private mutating func stamp() -> Date {
        bench.clock.now.addingTimeInterval(-Double(Int.random(in: 0...1_200_000, using: &random)) / 1000)
    }

    private mutating func some<Value>(_ values: [Int: Value]) -> (key: Int, value: Value)? {
        values.keys.sorted().randomElement(using: &random).flatMap { key in values[key].map { (key, $0) } }
    }

    private func isRecent(_ date: Date) -> Bool { bench.clock.now.timeIntervalSince(date) < 12 * 86_400 }

    mutating func step() {
        number += 1
        let now = stamp()
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            // Many at once, some observed long ago.
            let namespace = Bool.random(using: &random) ? "Fitbit" : "AppleHealth"
            for _ in 0..<(Int.random(in: 0..<4, using: &random) == 0 ? 130 : 5) {
                number += 1
                let observed = now.addingTimeInterval(-Double(Int.random(in: 0...9_000_000, using: &random)))
                points[number] = (namespace, observed)
                put(number, namespace, observed, now)
            }
        case 2:
            guard let (key, point) = some(points) else { return }
            put(key, point.namespace, point.observed, now)
        case 3:
            tasks[number] = (true, now)
            bench.sandbox.putTask(number, status: "incomplete", inserted: now, modified: now)
        case 4:
            guard let (key, task) = some(tasks), task.isOpen || isRecent(task.inserted) else { return }
            let status = ["incomplete", "complete", "closed"].randomElement(using: &random) ?? ""
            tasks[key] = (status == "incomplete", task.inserted)
            bench.sandbox.putTask(key, status: status, inserted: task.inserted, modified: now)
        case 5:
            results[number] = now
            for item in 0...Int.random(in: 0...3, using: &random) {
                bench.sandbox.putAnswer(
                    number * 10 + item, result: number, item == 2 ? ["a, b", "7"] : ["\(item)"], inserted: now)
            }
        case 6:
            guard let (key, inserted) = some(results), isRecent(inserted) else { return }
            results[key] = nil
            bench.sandbox.removeAnswers(result: key)
        case 7:
            sent[number] = now
            bench.sandbox.putNotification(number, status: "Succeeded", sent: now)
        case 8:
            guard let (key, date) = some(sent), isRecent(date) else { return }
            bench.sandbox.putNotification(key, status: "Unsubscribed", sent: date)
        default:
            // Forward by minutes to days; sometimes the service's clock is set back a little.
            let seconds =
                Int.random(in: 0..<5, using: &random) == 0 ? -1_000 : Int.random(in: 60...400_000, using: &random)
            bench.clock.advance(Double(seconds))
        }
    }

    private mutating func put(_ number: Int, _ namespace: String, _ observed: Date, _ modified: Date) {
        let value = ["7", "007", "1.50", "", "High", "-3.25"].randomElement(using: &random) ?? ""
        bench.sandbox.putPoint(
            number, namespace: namespace, type: "Steps", value: value, observed: observed, modified: modified)
    }
}
