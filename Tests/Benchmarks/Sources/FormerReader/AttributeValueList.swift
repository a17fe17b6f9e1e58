extension ValueType {
    func values(in list: any UnkeyedDecodingContainer) throws -> ([Attribute.DayValue], [UnreadableItem]) {
        switch self {
        case .int, .periodMin, .minFromMidnight, .minFromMidday, .scale, .boolean: try read(Whole.self, list)
        case .float, .percentage: try read(Decimal.self, list)
        case .string: try read(Text.self, list)
        case .unknown: try read(Anything.self, list)
        }
    }

    private func read<Reading: ValueReading>(
        _ reading: Reading.Type, _ list: any UnkeyedDecodingContainer
    ) throws -> ([Attribute.DayValue], [UnreadableItem]) {
        var list = list
        var (values, unreadable): ([Attribute.DayValue], [UnreadableItem]) = ([], [])
        values.reserveCapacity(list.count ?? 0)
        while !list.isAtEnd {
            let index = list.currentIndex
            do {
                let item = try list.decode(Item<Reading>.self)
                values.append(item.value)
                if let problem = item.problem { unreadable.append(UnreadableItem(index: index, problem)) }
            } catch {
                unreadable.append(UnreadableItem(index: index, error))
                // Whether a failed decode moves on depends on the version of Foundation.
                if list.currentIndex == index { _ = try list.superDecoder() }
            }
        }
        return (values, unreadable)
    }
}
private protocol ValueReading {
    static func read<Key>(_ container: KeyedDecodingContainer<Key>, _ key: Key) throws -> AttributeValue?
}

private enum Whole: ValueReading {
    static func read<Key>(_ container: KeyedDecodingContainer<Key>, _ key: Key) throws -> AttributeValue? {
        // Foundation reads `1e-400` as the integer 0; as a Double it says that it cannot.
        guard let number = try container.decodeIfPresent(Int.self, forKey: key) else { return nil }
        if number == 0 { _ = try container.decode(Double.self, forKey: key) }
        return .integer(number)
    }
}

private enum Decimal: ValueReading {
    static func read<Key>(_ container: KeyedDecodingContainer<Key>, _ key: Key) throws -> AttributeValue? {
        try container.decodeIfPresent(Double.self, forKey: key).map { .decimal($0) }
    }
}

private enum Text: ValueReading {
    static func read<Key>(_ container: KeyedDecodingContainer<Key>, _ key: Key) throws -> AttributeValue? {
        try container.decodeIfPresent(String.self, forKey: key).map { .text($0) }
    }
}

private enum Anything: ValueReading {
    static func read<Key>(_ container: KeyedDecodingContainer<Key>, _ key: Key) throws -> AttributeValue? {
        try container.decodeIfPresent(JSONValue.self, forKey: key).map { .other($0) }
    }
}

private struct Item<Reading: ValueReading>: Decodable {
    var value: Attribute.DayValue
    var problem: (any Error)?

    private enum CodingKeys: String, CodingKey {
        case date, value
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        value = Attribute.DayValue(day: try ExistDay(container, .date), value: nil)
        do {
            value.value = try Reading.read(container, .value)
        } catch {
            do {
                value.value = try AttributeValue(misfit: container, .value)
            } catch {
                problem = error
            }
        }
    }
}
