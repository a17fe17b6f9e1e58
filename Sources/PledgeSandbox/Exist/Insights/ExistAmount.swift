/// Formats numbers for insights: "12,044 steps", "7 h 20 min", "6.5 out of 9".
enum ExistAmount {
    static func text(_ number: Double, of attribute: ExistAttribute) -> String {
        switch attribute.valueType {
        case .duration: duration(Int(number.rounded()))
        case .scale: oneDecimal(number) + " out of 9"
        default: grouped(Int(number.rounded())) + " \(attribute.label.lowercased())"
        }
    }

    static func duration(_ minutes: Int) -> String {
        let (hours, rest) = (minutes / 60, minutes % 60)
        if hours == 0 { return "\(rest) min" }
        return rest == 0 ? "\(hours) h" : "\(hours) h \(rest) min"
    }

    private static func oneDecimal(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    static func grouped(_ number: Int) -> String {
        let digits = String(abs(number))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }
}
