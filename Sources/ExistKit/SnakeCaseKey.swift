import PledgeCoding

/// The name of a field in the service's JSON: that of the property in snake case, unless a raw value says otherwise.
protocol SnakeCaseKey: CodingKey, RawRepresentable where RawValue == String {}

extension SnakeCaseKey {
    var stringValue: String { SnakeCase.name(of: rawValue) }
    var intValue: Int? { nil }
    // Models are only encoded with these.
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}
