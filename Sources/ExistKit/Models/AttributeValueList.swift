import PledgeModels

/// Values by day, read one by one according to the attribute's type.
struct AttributeValueList {
    var values: [Attribute.DayValue] = []
    var unreadable: [UnreadableItem] = []

    init() {}

    init(from decoder: any Decoder, as type: ValueType) throws {
        var container = try decoder.unkeyedContainer()
        values.reserveCapacity(container.count ?? 0)
        while !container.isAtEnd {
            let index = container.currentIndex
            let item = try container.superDecoder()
            do {
                let keyed = try item.container(keyedBy: CodingKeys.self)
                let day = try keyed.decode(ExistDay.self, forKey: .date)
                let value =
                    try keyed.contains(.value)
                    ? AttributeValue(from: keyed.superDecoder(forKey: .value), as: type) : nil
                values.append(Attribute.DayValue(day: day, value: value))
            } catch {
                unreadable.append(UnreadableItem(index: index, error))
            }
        }
    }

    private enum CodingKeys: String, CodingKey {
        case date, value
    }
}
