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
}

extension SentItem: Encodable {
    private enum CodingKeys: String, CodingKey {
        case name, template, label, value, group, manual
        case day = "date"
        case valueType = "value_type"
    }
}

/// An item of the response to a write, which repeats parts of the item that was sent.
protocol WrittenItem: Decodable, Sendable {
    /// The parts that the service repeats.
    var echo: SentItem { get }
    /// The item's position in its request, starting at 0, if the service's message contains it.
    var namedIndex: Int? { get }

    /// Fills in what the service omitted, from the item that was sent.
    mutating func complete(from sent: SentItem, at index: Int)
}

extension WrittenItem {
    var namedIndex: Int? { nil }

    mutating func complete(from sent: SentItem, at index: Int) {}

    private func matches(_ sent: SentItem) -> Bool {
        let echo = echo
        let names = [echo.name, echo.template].compactMap { $0 }
        let isSame =
            sent.name.map(names.contains) ?? sent.template.map(names.contains) ?? sent.label.map { $0 == echo.label }
        return isSame == true && (echo.day == nil || sent.day == nil || echo.day == sent.day)
    }

    /// `42` and `42.0` are the same value: the service may return another form than was sent.
    private func hasValue(of sent: SentItem) -> Bool {
        guard let value = echo.value, let other = sent.value else { return false }
        return value == other || (value.double != nil && value.double == other.double)
    }

    /// Finds the sent item by the parts that the response repeats, including the value if several match otherwise; or
    /// else by the position in the service's message.
    fileprivate func index(among sent: [SentItem], in range: Range<Int>, _ free: Set<Int>) -> Int? {
        let alike = range.filter { free.contains($0) && matches(sent[$0]) }
        return alike.first { alike.count > 1 && hasValue(of: sent[$0]) } ?? alike.first
            ?? namedIndex.map { range.lowerBound + $0 }.flatMap { free.contains($0) ? $0 : nil }
    }
}

extension WriteResult where Success: WrittenItem {
    /// Returns the items in the order they were sent, each completed with what the service omitted.
    func ordered(like sent: [SentItem], in range: Range<Int>) -> WriteResult {
        var free = Set(range)
        var ordered = self
        ordered.success = Self.ordered(success, like: sent, in: range, &free)
        ordered.failed = Self.ordered(failed, like: sent, in: range, &free)
        return ordered
    }

    private static func ordered<Item: WrittenItem>(
        _ items: [Item], like sent: [SentItem], in range: Range<Int>, _ free: inout Set<Int>
    ) -> [Item] {
        var ordered: [(index: Int, item: Item)] = []
        for var item in items {
            let index = item.index(among: sent, in: range, free)
            if let index {
                free.remove(index)
                item.complete(from: sent[index], at: index)
            }
            ordered.append((index ?? .max, item))
        }
        return ordered.enumerated().sorted { ($0.element.index, $0.offset) < ($1.element.index, $1.offset) }
            .map(\.element.item)
    }
}
