import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("An attribute whose values are not found while it is out of use", .timeLimit(.minutes(60)))
struct HiddenValuesTests {
    private let bench: ExistBench
    private let history: History
    private let scratch: TemporaryFolder

    init() throws {
        scratch = try TemporaryFolder()
        history = try History(scratch.path("a.db"))
        bench = try ExistBench(isEmpty: true)
        bench.sandbox.hidesInactiveValues = true
        for name in ["walks", "steps"] {
            bench.sandbox.addAttribute(name)
            bench.sandbox.setValue(3, of: name, on: "2026-11-18")
        }
    }

    private var requests: Int { bench.sandbox.server.requests.count { $0.target.contains("values/?attribute=walks") } }

    private func stored() throws -> [String?] {
        try history.query("SELECT attribute FROM value WHERE value = 3 ORDER BY 1").rows.map(\.[0].text)
    }

    @Test("does not affect the others, is told once, requested again each week, and read once it is in use")
    func unread() async throws {
        bench.sandbox.changeAttribute("walks", isActive: false)
        var told = 0
        for night in 0..<15 {
            let summary = try await bench.sync(history)
            #expect(summary.gaps.isEmpty, "\(night): \(summary)")
            told += summary.notes.count { $0.contains("“walks” are not found") }
            #expect(try stored() == ["steps"] && history.failures().isEmpty)
            bench.clock.advance(86_400)
        }
        #expect(told == 1 && requests == 3)

        bench.sandbox.changeAttribute("walks", isActive: true)
        try await bench.sync(history)
        #expect(try stored() == ["steps", "walks"])
    }

    @Test("keeps the values that were read before, and goes on from them once it is in use again")
    func readBefore() async throws {
        try await bench.sync(history)
        bench.sandbox.changeAttribute("walks", isActive: false)
        var told = 0
        for _ in 0..<15 {
            let summary = try await bench.sync(history)
            #expect(summary.gaps.isEmpty)
            told += summary.notes.count { $0.contains("“walks” are not found") }
            bench.clock.advance(86_400)
        }
        #expect(try told == 1 && stored() == ["steps", "walks"])

        bench.sandbox.changeAttribute("walks", isActive: true)
        bench.sandbox.setValue(3, of: "walks", on: "2026-12-04")
        try await bench.sync(history)
        #expect(try stored() == ["steps", "walks", "walks"])
    }
}
