/// What kind of value an attribute holds. The service may add others, which survive as ``unknown(_:)``.
///
/// https://developer.exist.io/reference/object_types/
public enum ValueType: Hashable, Sendable {
    /// 0: a whole number.
    case int
    /// 1: a number with decimals.
    case float
    /// 2: a text, such as a note.
    case string
    /// 3: a duration in whole minutes.
    case periodMin
    /// 4: a time of day, in whole minutes after midnight.
    case minFromMidnight
    /// 5: a fraction, 0 to 1.
    case percentage
    /// 6: a time of day, in whole minutes after midday, so that late nights come after evenings.
    case minFromMidday
    /// 7: yes or no, sent as 1 or 0. Tags are of this type.
    case boolean
    /// 8: a rating from 1 to 9.
    case scale
    /// A type this version does not know.
    case unknown(Int)
}

extension ValueType: RawRepresentable, Codable {
    /// From the service's number.
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
