import PledgeCoding

/// An item of a write, as it was sent.
public struct SentItem: Sendable, Equatable {
    /// The attribute's name, if it was sent by name.
    public var name: String?
    /// The template's name, if it was sent by template.
    public var template: String?
    /// The label, if the attribute was to be created.
    public var label: String?
    /// The day, if one was sent.
    public var day: ExistDay?
    /// The value, if one was sent.
    public var value: AttributeValue?
    var group: String?
    var valueType: ValueType?
    var manual: Bool?

    /// Whether nothing identifies the item.
    var isAnonymous: Bool { name == nil && template == nil && label == nil }

    /// What is known of the item, for a sentence about it.
    var words: String { (name ?? template ?? label ?? "an item") + (day.map { " \($0)" } ?? "") }
}

extension SentItem: Encodable {
    private enum CodingKeys: String, CodingKey {
        case name, template, label, value, group, manual
        case day = "date"
        case valueType = "value_type"
    }
}

/// An item of a write's response, which repeats parts of the item that was sent.
protocol WrittenItem: Decodable, Sendable {
    var echo: SentItem { get }
    /// The position among the given items, if it is kept.
    var index: Int? { get }
    /// The item's index in its request, if the service's message contains it.
    var namedIndex: Int? { get }

    /// Adds the omitted parts from the item that was sent.
    mutating func complete(from sent: SentItem, at index: Int)
}

extension WrittenItem {
    var index: Int? { nil }
    var namedIndex: Int? { nil }

    mutating func complete(from sent: SentItem, at index: Int) {}

    fileprivate func matches(_ sent: SentItem) -> Bool {
        let echo = echo
        let names = [echo.name, echo.template].compactMap { $0 }
        // The service may return a label in lower case.
        let isSame =
            sent.name.map(names.contains) ?? sent.template.map(names.contains)
            ?? sent.label.map { $0.lowercased() == echo.label?.lowercased() }
        return isSame == true && (echo.day == nil || sent.day == nil || echo.day == sent.day)
    }

    /// Finds the sent item by the repeated parts, including the value if several match otherwise, or else by the index
    /// in the service's message.
    fileprivate func index(among sent: [SentItem], in indices: ArraySlice<Int>, _ free: Set<Int>) -> Int? {
        func isSame(_ value: AttributeValue?, _ other: AttributeValue?) -> Bool {
            value.flatMap { value in other.map(value.isSame) } ?? false
        }
        let alike = indices.filter { free.contains($0) && matches(sent[$0]) }
        return alike.first { isSame(echo.value, sent[$0].value) } ?? alike.first
            ?? namedIndex.flatMap { indices.dropFirst($0).first }.flatMap { free.contains($0) ? $0 : nil }
    }
}

extension WriteResult where Success: WrittenItem {
    /// Returns this result with the outcomes of other items added, in the order of the items.
    func merged(with later: WriteResult) -> WriteResult {
        var all = self
        all.success = (success + later.success).sorted { ($0.index ?? .max) < ($1.index ?? .max) }
        all.failed = (failed + later.failed).sorted { ($0.index ?? .max) < ($1.index ?? .max) }
        all.unconfirmed = (unconfirmed + later.unconfirmed).sorted { $0.index < $1.index }
        all.unreadable += later.unreadable
        return all
    }

    /// Returns the items in the order they were sent, each with its omitted parts, and accounts for every sent item.
    func ordered(like sent: [SentItem], in indices: ArraySlice<Int>) -> WriteResult {
        var free = Set(indices)
        var succeeded = Self.matched(success, with: sent, in: indices, &free)
        var failures = Self.matched(failed, with: sent, in: indices, &free)
        var ordered = self
        // An item in both lists has failed.
        for position in failures.indices where failures[position].index == nil {
            let twin = succeeded.firstIndex { $0.index.map { failures[position].item.matches(sent[$0]) } ?? false }
            if let twin { failures[position].index = succeeded.remove(at: twin).index }
        }
        // Items without identification are the remaining ones, if there are as many.
        let anonymous = failures.indices.filter { failures[$0].index == nil && failures[$0].item.echo.isAnonymous }
        if anonymous.count == free.count {
            for (position, index) in zip(anonymous, free.sorted()) { failures[position].index = index }
            free = []
        }
        // Report a failure even if it matches no sent item.
        let known = failures.compactMap(\.index)
        failures.removeAll { entry in entry.index == nil && known.contains { entry.item.matches(sent[$0]) } }
        succeeded.removeAll { $0.index == nil }
        for position in 0..<(success.count + failed.count - succeeded.count - failures.count) {
            ordered.unreadable.add(position) { "it was not sent, or is in the response twice" }
        }
        ordered.success = Self.completed(succeeded, from: sent)
        ordered.failed = Self.completed(failures, from: sent)
        ordered.unconfirmed = free.sorted().map { UnconfirmedItem(index: $0, sent: sent[$0]) }
        return ordered
    }

    private static func matched<Item: WrittenItem>(
        _ items: [Item], with sent: [SentItem], in indices: ArraySlice<Int>, _ free: inout Set<Int>
    ) -> [(index: Int?, item: Item)] {
        items.map { item in
            let index = item.index(among: sent, in: indices, free)
            if let index { free.remove(index) }
            return (index, item)
        }
    }

    private static func completed<Item: WrittenItem>(
        _ items: [(index: Int?, item: Item)], from sent: [SentItem]
    ) -> [Item] {
        items.enumerated().sorted { ($0.element.index ?? .max, $0.offset) < ($1.element.index ?? .max, $1.offset) }
            .map { _, entry in
                var item = entry.item
                if let index = entry.index { item.complete(from: sent[index], at: index) }
                return item
            }
    }
}
