import PledgeCoding

/// How much of a list has come so far, compared with the total that its service announces.
///
/// A list ends with what came, never by a calculation with the size of a page: a service may put fewer items on a page
/// than it was asked for.
package struct PageProgress: Sendable, Equatable {
    private var received = 0
    /// The total that the last page announced.
    private var announced: Int?
    /// The number of items by which the total has decreased.
    private var removed = 0

    package init() {}

    /// Returns the progress after another page, with so many items.
    package func adding(_ count: Int, of total: Int?) -> PageProgress {
        var sum = self
        sum.received += count
        guard let total, total >= 0 else { return sum }
        sum.removed += max(0, (announced ?? total) - total)
        sum.announced = total
        return sum
    }

    /// Whether as many items came as the service announces. If more came, its total is not believed.
    package var isComplete: Bool { received == announced }

    /// What is missing if no page follows; nil if nothing is, as far as can be known.
    package var missing: UnreadableItem? {
        guard let announced else { return nil }
        if received < announced {
            return .missing("the service announces \(NumberText.counted(announced, "item")), and sent \(received)")
        }
        // The items after a removed one move to an earlier page, which may have been read before.
        guard isComplete, removed > 0 else { return nil }
        return .missing(
            "\(NumberText.counted(removed, "item")) disappeared while the list was read, so that others may be missing")
    }

    /// Always true: how much has come is no part of what is asked for.
    package static func == (_: PageProgress, _: PageProgress) -> Bool { true }
}
