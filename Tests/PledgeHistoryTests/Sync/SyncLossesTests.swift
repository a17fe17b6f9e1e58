import Foundation
import PledgeCoding
import PledgeHTTP
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("The losses of a sync")
struct SyncLossesTests {
    private let values = ListName("value", "steps")
    private let insights = ListName("insight")

    @Test("Up to ten rows of a table may be removed; more only if they are at most one percent of the table")
    func removals() {
        var losses = SyncLosses()
        let accepted = [6, 4, 1].map { losses.acceptsRemovals($0, of: values) { 1_000 } }
        #expect(accepted == [true, true, false])
        #expect(losses.unsettled == [values] && losses.gaps.map(\.kind) == ["removals"])
        // Another table has a limit of its own.
        let others = losses.acceptsRemovals(10, of: insights) { 0 }
        #expect(others)
        let large = [1, 1].map { losses.acceptsRemovals($0, of: ListName("value", "mood")) { 1_100 } }
        #expect(large == [true, false])
    }

    @Test("A list is read again if none of its items could be read, and not if one of them could")
    func unreadable() {
        var losses = SyncLosses()
        let item = UnreadableItem(index: 0, reason: "it is broken")
        losses.record([item, item], of: values, read: 0)
        losses.record([item], of: insights, read: 1)
        #expect(losses.unsettled == [values] && losses.unreadableLists == [values])
        #expect(losses.lacksItems(of: insights) && !losses.lacksItems(of: ListName("attribute")))
        #expect(losses.unreadable == ["value": 2, "insight": 1])
        losses.record([], of: values, read: 7)
        #expect(losses.unsettled.isEmpty && losses.lacksItems(of: values))
    }

    @Test("After twenty notes about unreadable items, further items are only counted")
    func notes() {
        var losses = SyncLosses()
        let items = (0..<25).map { UnreadableItem(index: $0, reason: "it is broken") }
        losses.record(items, of: insights, read: 0)
        #expect(losses.lines.count == 21 && losses.lines.last == "5 more items could not be read.")
    }

    @Test("The first failure of the service ends the sync later; an error of one list is a gap; others end it at once")
    func errors() {
        struct Failing: ExchangeFailure { let kind: FailureKind }
        var losses = SyncLosses(hide: { $0.replacingOccurrences(of: "steps", with: "…") })
        let options = SyncOptions()
        let failures: [(ListName, FailureKind)] = [
            (values, .serviceFault), (insights, .serviceFault), (values, .forbidden), (values, .unauthorized),
        ]
        let continues = failures.map { list, kind in losses.recordGap(of: list, Failing(kind: kind), options) }
        #expect(continues == [true, true, true, false])
        #expect((losses.failure as? Failing)?.kind == .serviceFault)
        #expect(losses.gaps.map(\.list).sorted() == ["insight", "value"])
        #expect(!losses.lines.contains { $0.contains("steps") })
    }
}
