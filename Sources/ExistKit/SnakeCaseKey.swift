import PledgeCoding

/// A name in the service's JSON: the property's name in snake case, unless it has a raw value.
protocol SnakeCaseKey: CodingKey, RawRepresentable where RawValue == String {}

extension SnakeCaseKey {
    var stringValue: String { SnakeCase.name(of: rawValue) }
    var intValue: Int? { nil }
    // Unused, because models are only encoded with these keys.
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}
