/// The type of an attribute's values; the raw value is the service's number.
enum ExistValueType: Int, Sendable {
    case quantity = 0
    case decimal = 1
    case text = 2
    case duration = 3
    case timeOfDay = 4
    case percentage = 5
    case timeFromMidday = 6
    case boolean = 7
    case scale = 8

    var label: String {
        switch self {
        case .quantity: "Integer"
        case .decimal: "Float"
        case .text: "String"
        case .duration: "Period (min)"
        case .timeOfDay: "Time of day (min from midnight)"
        case .percentage: "Percentage"
        case .timeFromMidday: "Time of day (min from midday)"
        case .boolean: "Boolean"
        case .scale: "Integer scale (1-9)"
        }
    }

    var isNumeric: Bool { self != .text && self != .boolean }
}

extension ExistValueType {
    /// Returns the value as it is stored, or throws. Like the service, it checks little more than the basic type.
    func accepting(_ value: ServerJSON) throws(ExistItemError) -> ServerJSON {
        switch self {
        case .quantity, .duration, .timeOfDay, .timeFromMidday, .scale:
            if value.integer != nil { return value }
            throw .validation(
                value.double == nil ? "Value is not an integer" : "Cannot apply a float to an integer type")
        case .decimal, .percentage:
            if value.double != nil { return value }
            throw .validation("Value is not a number")
        case .text:
            if value.string != nil { return value }
            throw .validation("Value is not a string")
        case .boolean:
            if let truth = value.bool { return truth ? 1 : 0 }
            if value == 0 || value == 1 { return value }
            throw .validation("Value is not a boolean")
        }
    }

    /// The reason values of this type cannot be incremented; nil if they can.
    var incrementRefusal: String? {
        switch self {
        case .quantity, .decimal, .duration, .percentage: nil
        case .text: "Cannot increment a string"
        case .timeOfDay, .timeFromMidday: "Cannot increment a time of day"
        case .boolean: "Cannot increment a boolean"
        case .scale: "Cannot increment a scale"
        }
    }
}
