/// The type of an attribute's values (<https://developer.exist.io/reference/object_types/>); a type that the service
/// adds later is ``unknown(_:)``.
public enum ValueType: Hashable, Sendable {
    /// 0: A whole number.
    case int
    /// 1: A decimal number.
    case float
    /// 2: A text, such as a note.
    case string
    /// 3: A duration in whole minutes.
    case periodMin
    /// 4: A time of day, in whole minutes after midnight.
    case minFromMidnight
    /// 5: A fraction from 0 to 1.
    case percentage
    /// 6: A time of day, in whole minutes after midday, so that late nights sort after evenings.
    case minFromMidday
    /// 7: A Boolean value, sent as 1 or 0. Tags are of this type.
    case boolean
    /// 8: A rating from 1 to 9.
    case scale
    /// A type this version does not know.
    case unknown(Int)
}

extension ValueType: RawRepresentable, Codable {
    /// Creates a type from the service's number.
    public init(rawValue: Int) {
        let known: [ValueType] = [
            .int, .float, .string, .periodMin, .minFromMidnight, .percentage, .minFromMidday, .boolean, .scale,
        ]
        self = known.indices.contains(rawValue) ? known[rawValue] : .unknown(rawValue)
    }

    public var rawValue: Int {
        switch self {
        case .int: 0
        case .float: 1
        case .string: 2
        case .periodMin: 3
        case .minFromMidnight: 4
        case .percentage: 5
        case .minFromMidday: 6
        case .boolean: 7
        case .scale: 8
        case .unknown(let number): number
        }
    }
}
