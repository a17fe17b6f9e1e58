import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("An attribute whose values are not found while it is inactive")
struct HiddenValuesTests {
    private let fixture: ExistFixture
    private let (scratch, history): (TemporaryFolder, History)

    init() throws {
        (scratch, history) = try History.new()
        fixture = try ExistFixture(attributes: ["walks", "steps"])
        fixture.sandbox.hidesInactiveValues = true
        for name in ["walks", "steps"] { fixture.setValues(of: name, daysAgo: 2..<3, to: 3) }
    }

    private var requests: Int {
        fixture.sandbox.server.requests.count { $0.target.contains("values/?attribute=walks") }
    }

    private func stored() throws -> [String?] {
        try history.query("SELECT attribute FROM value WHERE value = 3 ORDER BY 1").rows.map(\.[0].text)
    }

    /// Syncs each night while the attribute is inactive. Returns how often a sync reported that its values aren't
    /// found.
    private func nights(storing values: [String]) async throws -> Int {
        fixture.sandbox.changeAttribute("walks", isActive: false)
        var told = 0
        for night in 0..<15 {
            let summary = try await fixture.sync(history)
            #expect(try summary.gaps.isEmpty && history.failures().isEmpty, "\(night): \(summary)")
            told += summary.notes.count { $0.contains("“walks” are not found") }
            #expect(try stored() == values, "\(night)")
            fixture.clock.advance(by: 86_400)
        }
        fixture.sandbox.changeAttribute("walks", isActive: true)
        return told
    }

    @Test("An inactive attribute's hidden values are reported once, requested weekly, and read when it is active again")
    func unread() async throws {
        #expect(try await nights(storing: ["steps"]) == 1 && requests == 3)
        try await fixture.sync(history)
        #expect(try stored() == ["steps", "walks"])
    }

    @Test(
        "An inactive attribute with hidden values keeps its stored values, and new ones follow when it is active again")
    func readBefore() async throws {
        try await fixture.sync(history)
        #expect(try await nights(storing: ["steps", "walks"]) == 1)
        fixture.sandbox.setValue(3, of: "walks", on: "2026-12-04")
        try await fixture.sync(history)
        #expect(try stored() == ["steps", "walks", "walks"])
    }

    @Test("Values that were entered after the last sync, and then hidden, follow when the attribute is active again")
    func enteredBefore() async throws {
        try await fixture.sync(history)
        fixture.clock.advance(by: 20 * 86_400)
        fixture.setValues(of: "walks", daysAgo: 19..<20, to: 3)
        #expect(try await nights(storing: ["steps", "walks"]) == 1)
        try await fixture.sync(history)
        #expect(try stored() == ["steps", "walks", "walks"])
    }

    @Test("Values that were read before and are hidden for long are requested once a week")
    func hiddenForLong() async throws {
        try await fixture.sync(history)
        _ = try await nights(storing: ["steps", "walks"])
        fixture.sandbox.changeAttribute("walks", isActive: false)
        let before = requests
        for _ in 0..<14 {
            try await fixture.sync(history)
            fixture.clock.advance(by: 86_400)
        }
        #expect(requests == before + 2)
    }
}
