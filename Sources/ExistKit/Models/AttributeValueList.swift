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
            var day: ExistDay?
            do {
                let keyed = try item.container(keyedBy: CodingKeys.self)
                let known = try keyed.decode(ExistDay.self, forKey: .date)
                day = known
                let value =
                    try keyed.contains(.value)
                    ? AttributeValue(from: keyed.superDecoder(forKey: .value), as: type) : nil
                values.append(Attribute.DayValue(day: known, value: value))
            } catch {
                // The day is there all the same, without a value.
                if let day { values.append(Attribute.DayValue(day: day, value: nil)) }
                unreadable.append(UnreadableItem(index: index, error))
            }
        }
    }

    private enum CodingKeys: String, CodingKey {
        case date, value
    }
}
