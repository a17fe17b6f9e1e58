import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("Data that a service no longer has")
struct RemovalTests {
    private let (scratch, history): (TemporaryFolder, History)
    init() throws { (scratch, history) = try History.new() }

    /// Returns a sandbox whose user has a value on each of the last 200 days.
    private func fixture() throws -> ExistFixture {
        let fixture = try ExistFixture(attributes: ["steps"])
        fixture.setValues(of: "steps", daysAgo: 0..<200)
        return fixture
    }

    private func marks(_ history: History) throws -> [[SQLValue]] {
        try history.query("SELECT day, removed FROM value WHERE removed NOTNULL ORDER BY day").rows
    }

    @Test(
        "A value that the service no longer has is marked with the date, left out of views, and restored if it returns")
    func marked() async throws {
        let fixture = try fixture()
        try await fixture.sync(history)
        fixture.sandbox.setValue(.null, of: "steps", on: "2026-11-19")
        try await fixture.sync(history)
        #expect(try marks(history) == [["2026-11-19", "2026-11-20"]])
        #expect(try history.query("SELECT count(*) FROM daily").rows == [[199]])
        #expect(try history.query("SELECT sum(days) FROM weekly").rows == [[199]])
        let stored = try #require(try AccountReader.all(of: .exist, in: history).first)
        let day = try #require(ExistDay("2026-11-19"))
        #expect(try stored.attributes(from: day, through: day).first?.values.isEmpty == true)
        fixture.clock.advance(by: 86_400)
        try await fixture.sync(history)
        #expect(try marks(history) == [["2026-11-19", "2026-11-20"]])
        fixture.sandbox.setValue(1, of: "steps", on: "2026-11-19")
        try await fixture.sync(history)
        #expect(try marks(history).isEmpty)
        #expect(try history.query("SELECT value FROM daily WHERE day = '2026-11-19'").rows == [[1]])
    }

    @Test("If many values are missing, each sync reports them, and marks none until the user accepts the removals")
    func doubted() async throws {
        let fixture = try fixture()
        try await fixture.sync(history)
        fixture.setValues(of: "steps", daysAgo: 1..<14, to: .null)
        fixture.sandbox.setValue(77, of: "steps", on: "2026-11-20")
        for night in 0..<2 {
            let summary = try await fixture.sync(history)
            // Insights are about values, so they are missing as well. This test looks only at the values.
            let gap = try #require(summary.gaps.first { $0.list == "value" })
            #expect(
                gap.kind == "removals"
                    && gap.text.hasPrefix(
                        "The values of “steps” no longer contain 13 items that are stored")
            )
            #expect(summary.notes.contains(gap.text))
            #expect(try marks(history).isEmpty)
            // Values that the service still has are stored, although so many others are missing.
            #expect(try history.query("SELECT value FROM value WHERE day = '2026-11-20'").rows == [[77]], "\(night)")
            // Advances the clock so far that a normal night would not read those days again.
            fixture.clock.advance(by: 30 * 86_400)
        }
        #expect(
            try history.query("SELECT outcome, kind, error NOTNULL FROM sync_run").rows == [
                ["done", .null, 0], ["done", "removals", 1], ["done", "removals", 1],
            ])
        let summary = try await fixture.sync(history) { $0.acceptsRemovals = true }
        #expect(summary.gaps == [])
        #expect(try marks(history).count { $0[0].text ?? "" < "2026-11-20" } == 13)
        #expect(try await fixture.sync(history).gaps == [])
    }

    @Test(
        "A full read finds that values from long ago are missing, and marks them only if the user accepts the removals",
        arguments: [160, 124])
    func cut(daysAgo day: Int) async throws {
        let fixture = try fixture()
        try await fixture.sync(history)
        fixture.setValues(of: "steps", daysAgo: day..<day + 40, to: .null)
        // A normal night doesn't read days that are so long ago.
        #expect(try await fixture.sync(history).changes == ChangeCount())
        let full = try await fixture.sync(history) { $0.isFull = true }
        #expect(full.gaps.contains { $0.list == "value" && $0.kind == "removals" })
        #expect(try marks(history).isEmpty)
        // If a page has an unreadable item, any value that is missing from the page may be that item.
        let broken = Alteration { target, page in
            Alteration.items(page) { item in
                let isBroken = target.contains("attribute=steps") && "\(item["date"] ?? "")".hasSuffix("-25")
                return isBroken ? item.merging(["date": "tomorrow"]) { $1 } : item
            }
        }
        try await fixture.sync(history, altering: broken) { ($0.isFull, $0.acceptsRemovals) = (true, true) }
        #expect(try marks(history).isEmpty)
        try await fixture.sync(history) { ($0.isFull, $0.acceptsRemovals) = (true, true) }
        #expect(try marks(history).count == 40)
        let fresh = try History(scratch.path("b.db"))
        try await fixture.sync(fresh)
        #expect(try history.content() == fresh.content())
    }

    @Test(
        "A full read marks stored values from before the service's first day, unless part of the history is unreadable",
        arguments: [false, true])
    func older(isBroken: Bool) async throws {
        let fixture = try ExistFixture(isEmpty: true)
        // Writes so many values that a sync reads them by month for all attributes, and not by page for each attribute.
        func write(days: Int) {
            for name in (0..<6).map({ "a\($0)" }) {
                fixture.sandbox.removeAttribute(name)
                fixture.sandbox.addAttribute(name)
                fixture.setValues(of: name, daysAgo: 0..<days)
            }
        }
        write(days: 200)
        try await fixture.sync(history)
        write(days: 124)
        let broken = Alteration { target, page in
            guard isBroken, target.contains("with-values") else { return page }
            return Alteration.items(page) {
                $0["date"] as? String == "2026-08-02" ? $0.merging(["date": "no"]) { $1 } : $0
            }
        }
        try await fixture.sync(history, altering: broken) { ($0.isFull, $0.acceptsRemovals) = (true, true) }
        #expect(try marks(history).count == (isBroken ? 0 : 6 * 76))
    }

    @Test("If many items are missing from a list of several pages, each sync reports that until it is accepted")
    func doubtedPages() async throws {
        let fixture = try ParticipantFixture(isEmpty: true)
        // The missing answers are so old that only a full read reaches them.
        for number in 1...250 {
            let inserted = fixture.clock.now - (number <= 20 ? 200 : 60) * 86_400
            fixture.sandbox.putAnswer(number, result: number, ["7"], inserted: inserted)
        }
        try await fixture.sync(history)
        for number in 1...20 { fixture.sandbox.removeAnswers(result: number) }
        for isFull in [true, false] {
            fixture.clock.advance(by: 86_400)
            let summary = try await fixture.sync(history) { $0.isFull = isFull }
            #expect(summary.gaps.map(\.kind) == ["removals"] && summary.changes.removed == 0, "\(isFull)")
        }
        let accepted = try await fixture.sync(history) { $0.acceptsRemovals = true }
        #expect(accepted.gaps.isEmpty && accepted.changes.removed == 20)
        #expect(try await fixture.sync(history).gaps.isEmpty)
    }

    @Test("A participant's answers are marked when they are missing, and restored when they return")
    func participant() async throws {
        let fixture = try ParticipantFixture(isEmpty: true)
        let now = fixture.clock.now
        for result in 1...8 { fixture.sandbox.putAnswer(result, result: result, ["7"], inserted: now) }
        try await fixture.sync(history)
        fixture.sandbox.removeAnswers(result: 3)
        fixture.clock.advance(by: 3600)
        #expect(try await fixture.sync(history).changes.removed == 1)
        #expect(try history.query("SELECT removed FROM survey_answer WHERE removed NOTNULL").rows == [["2026-11-20"]])
        #expect(try history.query("SELECT count(*) FROM survey_answer").rows == [[8]])
        fixture.sandbox.putAnswer(3, result: 3, ["7"], inserted: now)
        try await fixture.sync(history)
        #expect(try history.query("SELECT count(*) FROM survey_answer WHERE removed NOTNULL").rows == [[0]])
    }
}
