enum AttributeValue: Hashable, Sendable {
    case integer(Int)
    case decimal(Double)
    case text(String)
    case other(JSONValue)
}

extension AttributeValue {
    init<Key>(misfit container: KeyedDecodingContainer<Key>, _ key: Key) throws {
        if let number = try? container.decode(Int.self, forKey: key) {
            // Foundation reads `1e-400` as the integer 0; as a Double it says that it cannot.
            if number == 0 { _ = try container.decode(Double.self, forKey: key) }
            self = .integer(number)
        } else if let flag = try? container.decode(Bool.self, forKey: key) {
            self = .integer(flag ? 1 : 0)
        } else if let text = try? container.decode(String.self, forKey: key) {
            self = .text(text)
        } else {
            // Last, so that its error is the one that is told: it names the path.
            self = .decimal(try container.decode(Double.self, forKey: key))
        }
    }
}

extension AttributeValue: Codable {
    init(from decoder: any Decoder) throws {
        switch try JSONValue(from: decoder) {
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .decimal(value)
        case .string(let value): self = .text(value)
        case let value: self = .other(value)
        }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .integer(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .other(let value): try container.encode(value)
        }
    }
}

extension AttributeValue {
    func read(as type: ValueType) -> AttributeValue {
        switch (type, self) {
        case (.float, .integer(let value)), (.percentage, .integer(let value)): .decimal(Double(value))
        case (.unknown, _), (.float, _), (.percentage, _), (.string, _): self
        case (_, .decimal(let value)): Int(exactly: value).map { .integer($0) } ?? self
        case (_, .other(.bool(let flag))): .integer(flag ? 1 : 0)
        default: self
        }
    }
    var int: Int? {
        switch self {
        case .integer(let value): value
        case .decimal(let value): Int(exactly: value)
        case .text, .other: nil
        }
    }
    var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .decimal(let value): value
        case .text, .other: nil
        }
    }
    var string: String? {
        if case .text(let value) = self { value } else { nil }
    }
    var bool: Bool? {
        switch int {
        case 1: true
        case 0: false
        default: nil
        }
    }
}

extension AttributeValue: CustomStringConvertible {
    var description: String {
        switch self {
        case .integer(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .text(let value): value
        case .other(let value): "\(value)"
        }
    }
}
