import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("Data that a sync can't read")
struct LossTests {
    private let (scratch, history): (TemporaryFolder, History)
    init() throws { (scratch, history) = try History.new() }

    private func lastRun() throws -> [SQLValue] {
        try history.query("SELECT outcome, kind FROM sync_run ORDER BY id DESC LIMIT 1").rows[0]
    }

    @Test(
        "If the service sends days with a time, the days are stored without the time, and each list gets one note"
    )
    func times() async throws {
        let fixture = try ExistFixture(isSmall: true)
        let plain = try History(scratch.path("plain.db"))
        try await fixture.sync(plain)
        let summary = try await fixture.sync(
            history,
            altering: Alteration { _, page in
                Alteration.items(page) { item in
                    var item = item
                    for name in ["date", "target_date"] {
                        if let day = item[name] as? String { item[name] = day + "T23:30:00-05:00" }
                    }
                    return item
                }
            })
        #expect(try history.content() == plain.content())
        #expect(summary.unreadable.isEmpty && summary.gaps.isEmpty)
        let notes = summary.notes.filter { $0.contains("a day was sent with a time of day, which was ignored") }
        #expect(notes.count == summary.notes.count && Set(notes).count == notes.count && notes.count <= 4, "\(notes)")
        #expect(notes.contains { $0.hasPrefix("In value (") }, "\(notes)")
        #expect(try lastRun() == ["done", nil])
    }

    @Test("In a first sync, unreadable items are counted by table and leave no gap, even if all items are unreadable")
    func counted() async throws {
        let fixture = try ExistFixture(isSmall: true)
        let broken = Locked(3)
        let summary = try await fixture.sync(
            history,
            altering: Alteration { target, page in
                let isInsight = target.contains("/insights/")
                guard isInsight || target.contains("/values/?attribute=steps") else { return page }
                return Alteration.items(page) { item in
                    if isInsight { return item.merging(["created": "now"]) { $1 } }
                    return broken.runsOut ? item : item.merging(["date": "tomorrow"]) { $1 }
                }
            })
        #expect(Set(summary.unreadable.keys) == ["insight", "value"] && summary.gaps.isEmpty, "\(summary)")
        #expect(try summary.unreadable["value"] == 3 && history.count("insight") == 0)
        #expect(try lastRun() == ["done", "unreadable"])
        #expect(try history.failures().map(\.kind) == ["unreadable"])
    }

    @Test(
        "If a list becomes unreadable, a sync reports a gap and keeps the rows, and the next sync reads the list again",
        arguments: [
            ("attribute", "/attributes/?", "name"), ("value", "/with-values/", "date"),
            ("average", "/averages/", "date"),
            ("correlation", "/correlations/", "attribute"), ("insight", "/insights/", "created"),
        ])
    func nothing(table: String, path: String, member: String) async throws {
        let fixture = try ExistFixture(isSmall: true)
        try await fixture.sync(history)
        let content = try history.content()
        let bookmarks = try history.query("SELECT list, name, bookmark FROM sync_state ORDER BY 1, 2").rows
        fixture.clock.advance(by: 86_400)
        let change = Alteration { target, page in
            guard target.contains(path) else { return page }
            // The new value is an array, which can't be decoded. A number would not be enough, because it could be
            // decoded as a text.
            return Alteration.items(page) { $0.merging([member: [7.5]]) { $1 } }
        }
        for night in 1...2 {
            let summary = try await fixture.sync(history, altering: change)
            #expect(summary.unreadable[table] ?? 0 > 0, "\(night): \(summary)")
            #expect(Set(summary.gaps.map(\.list)) == [table], "\(night): \(summary)")
            #expect(Set(summary.gaps.map(\.kind)) == ["unreadable"])
            #expect(try lastRun() == ["done", "unreadable"])
        }
        let stored = { (line: String) in line.hasPrefix("\(table) ") }
        #expect(try history.content().filter(stored) == content.filter(stored))
        let later = try history.query("SELECT list, name, bookmark FROM sync_state ORDER BY 1, 2").rows
        #expect(later.filter { $0[0].text == table } == bookmarks.filter { $0[0].text == table })
        #expect(try await fixture.sync(history).gaps.isEmpty)
    }

    @Test("An unreadable MyDataHelps list is also reported as a gap, and its rows are kept")
    func participants() async throws {
        let fixture = try ParticipantFixture()
        try await fixture.sync(history)
        let count = try history.count("survey_answer", "removed IS NULL")
        let summary = try await fixture.sync(
            history,
            altering: Alteration { target, page in
                guard target.contains("surveyanswers") else { return page }
                return Alteration.items(page) { $0.merging(["insertedDate": "once"]) { $1 } }
            })
        #expect(summary.unreadable["survey_answer"] ?? 0 > 0, "\(summary)")
        #expect(summary.gaps.map(\.list) == ["survey_answer"], "\(summary)")
        #expect(try history.count("survey_answer", "removed IS NULL") == count)
    }

    @Test(
        "If a later page of a list can't be read, the items of earlier pages are kept",
        arguments: [
            ("attribute", "/attributes/?"), ("value", "/with-values/"), ("average", "/averages/"),
            ("correlation", "/correlations/"), ("insight", "/insights/"),
        ])
    func firstPages(table: String, path: String) async throws {
        let fixture = try ExistFixture(isSmall: true)
        try await fixture.sync(history)
        let content = try history.content()
        let change = Alteration { target, page in
            guard target.contains(path) else { return page }
            let results = Array((page["results"] as? [Any] ?? []).dropLast())
            return target.contains("page=2") ? nil : page.merging(["next": "x", "results": results]) { $1 }
        }
        await #expect(throws: ExistError.self) { try await fixture.sync(history, altering: change) }
        #expect(try history.content() == content, "what may be on later ones is there")
        _ = try history.transaction { try $0.run("DELETE FROM \(table)") }
        await #expect(throws: ExistError.self) { try await fixture.sync(history, altering: change) }
        #expect(try history.count(table) > 0)
        #expect(try lastRun() == ["failed", "serviceFault"])
        // The next run reads the other pages.
        try await fixture.sync(history) { $0.isFull = true }
        #expect(try history.content() == content)
    }
}
