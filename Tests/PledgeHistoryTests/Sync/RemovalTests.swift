import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("Data that a service no longer has")
struct RemovalTests {
    private let (scratch, history): (TemporaryFolder, History)
    init() throws { (scratch, history) = try History.new() }

    /// A user with a value on each of the last 200 days.
    private func bench() throws -> ExistBench {
        let bench = try ExistBench(attributes: ["steps"])
        bench.setValues(of: "steps", daysAgo: 0..<200)
        return bench
    }

    private func marks(_ history: History) throws -> [[SQLValue]] {
        try history.query("SELECT day, removed FROM value WHERE removed NOTNULL ORDER BY day").rows
    }

    @Test("A missing value is marked with the day, left out of the views, and restored when it comes back")
    func marked() async throws {
        let bench = try bench()
        try await bench.sync(history)
        bench.sandbox.setValue(.null, of: "steps", on: "2026-11-19")
        try await bench.sync(history)
        #expect(try marks(history) == [["2026-11-19", "2026-11-20"]])
        #expect(try history.query("SELECT count(*) FROM daily").rows == [[199]])
        #expect(try history.query("SELECT sum(days) FROM weekly").rows == [[199]])
        let stored = try #require(try StoredAccount.all(of: "exist", in: history).first)
        let day = try #require(ExistDay("2026-11-19"))
        #expect(try stored.attributes(from: day, through: day).first?.values.isEmpty == true)
        bench.clock.advance(86_400)
        try await bench.sync(history)
        #expect(try marks(history) == [["2026-11-19", "2026-11-20"]])
        bench.sandbox.setValue(1, of: "steps", on: "2026-11-19")
        try await bench.sync(history)
        #expect(try marks(history).isEmpty)
        #expect(try history.query("SELECT value FROM daily WHERE day = '2026-11-19'").rows == [[1]])
    }

    @Test("If more than a small part is missing, nothing is marked until the user accepts it, and each sync says so")
    func doubted() async throws {
        let bench = try bench()
        try await bench.sync(history)
        bench.setValues(of: "steps", daysAgo: 1..<14, to: .null)
        bench.sandbox.setValue(77, of: "steps", on: "2026-11-20")
        for night in 0..<2 {
            let summary = try await bench.sync(history)
            // Insights are about values, so they are gone with them.
            let gap = try #require(summary.gaps.first { $0.list == "value" })
            #expect(gap.kind == "removals" && gap.text.hasPrefix("The values of “steps” lack 13 that are stored"))
            #expect(summary.notes.contains(gap.text))
            #expect(try marks(history).isEmpty)
            // What is there is stored nevertheless.
            #expect(try history.query("SELECT value FROM value WHERE day = '2026-11-20'").rows == [[77]], "\(night)")
            // Long after, when a night would not read those days again.
            bench.clock.advance(30 * 86_400)
        }
        #expect(
            try history.query("SELECT outcome, kind, error NOTNULL FROM sync_run").rows == [
                ["done", .null, 0], ["done", "removals", 1], ["done", "removals", 1],
            ])
        let summary = try await bench.sync(history) { $0.acceptsRemovals = true }
        #expect(summary.gaps == [])
        #expect(try marks(history).count { $0[0].text ?? "" < "2026-11-20" } == 13)
        #expect(try await bench.sync(history).gaps == [])
    }

    @Test(
        "A full read finds that a history lost its beginning or its middle, and marks that only if accepted",
        arguments: [160, 124])
    func cut(daysAgo day: Int) async throws {
        let bench = try bench()
        try await bench.sync(history)
        bench.setValues(of: "steps", daysAgo: day..<day + 40, to: .null)
        // A normal night does not look there.
        #expect(try await bench.sync(history).changes == ChangeCount())
        let full = try await bench.sync(history) { $0.isFull = true }
        #expect(full.gaps.contains { $0.list == "value" && $0.kind == "removals" })
        #expect(try marks(history).isEmpty)
        // Of a page with an item that cannot be read, nobody knows what is not on it.
        let broken = Alteration { target, page in
            Alteration.items(page) { item in
                let isBroken = target.contains("attribute=steps") && "\(item["date"] ?? "")".hasSuffix("-25")
                return isBroken ? item.merging(["date": "tomorrow"]) { $1 } : item
            }
        }
        try await bench.sync(history, altering: broken) { ($0.isFull, $0.acceptsRemovals) = (true, true) }
        #expect(try marks(history).isEmpty)
        try await bench.sync(history) { ($0.isFull, $0.acceptsRemovals) = (true, true) }
        #expect(try marks(history).count == 40)
        let fresh = try History(scratch.path("b.db"))
        try await bench.sync(fresh)
        #expect(try history.content() == fresh.content())
    }

    @Test(
        "In a full read, values older than the whole history are marked, unless some of it couldn't be read",
        arguments: [false, true])
    func older(isBroken: Bool) async throws {
        let bench = try ExistBench(isEmpty: true)
        // So many that they are read in months of all rather than in pages of each.
        func write(days: Int) {
            for name in (0..<6).map({ "a\($0)" }) {
                bench.sandbox.removeAttribute(name)
                bench.sandbox.addAttribute(name)
                bench.setValues(of: name, daysAgo: 0..<days)
            }
        }
        write(days: 200)
        try await bench.sync(history)
        write(days: 124)
        let broken = Alteration { target, page in
            guard isBroken, target.contains("with-values") else { return page }
            return Alteration.items(page) {
                $0["date"] as? String == "2026-08-02" ? $0.merging(["date": "no"]) { $1 } : $0
            }
        }
        try await bench.sync(history, altering: broken) { ($0.isFull, $0.acceptsRemovals) = (true, true) }
        #expect(try marks(history).count == (isBroken ? 0 : 6 * 76))
    }

    @Test("A participant's answers are marked and restored in the same way")
    func participant() async throws {
        let bench = try ParticipantBench(isEmpty: true)
        let now = bench.clock.now
        for result in 1...8 { bench.sandbox.putAnswer(result, result: result, ["7"], inserted: now) }
        try await bench.sync(history)
        bench.sandbox.removeAnswers(result: 3)
        bench.clock.advance(3600)
        #expect(try await bench.sync(history).changes.removed == 1)
        #expect(try history.query("SELECT removed FROM survey_answer WHERE removed NOTNULL").rows == [["2026-11-20"]])
        #expect(try history.query("SELECT count(*) FROM survey_answer").rows == [[8]])
        bench.sandbox.putAnswer(3, result: 3, ["7"], inserted: now)
        try await bench.sync(history)
        #expect(try history.query("SELECT count(*) FROM survey_answer WHERE removed NOTNULL").rows == [[0]])
    }
}
