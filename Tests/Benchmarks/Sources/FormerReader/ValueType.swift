enum ValueType: Hashable, Sendable {
    case int
    case float
    case string
    case periodMin
    case minFromMidnight
    case percentage
    case minFromMidday
    case boolean
    case scale
    case unknown(Int)
}

extension ValueType: RawRepresentable, Codable {
    init(rawValue: Int) {
        let known: [ValueType] = [
            .int, .float, .string, .periodMin, .minFromMidnight, .percentage, .minFromMidday, .boolean, .scale,
        ]
        self = known.indices.contains(rawValue) ? known[rawValue] : .unknown(rawValue)
    }
    var rawValue: Int {
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
