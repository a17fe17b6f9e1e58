import Foundation

/// Random JSON, including everything that is easy to get wrong.
package enum RandomJSON {
    package static let marks = Array("{}[]\",:\\u0-+.eE \u{0}tfnd8".utf8)

    package static func text(depth: Int, _ generator: inout SeededGenerator) -> String {
        let blank = ["", "", " ", "\n\t"].randomElement(using: &generator) ?? ""
        return blank + value(depth, &generator) + blank
    }

    private static func value(_ depth: Int, _ generator: inout SeededGenerator) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
        case 0: return "null"
        case 1: return ["true", "false"].randomElement(using: &generator) ?? ""
        case 2, 3:
            return [
                "0", "-0", "7", "-12", "4174.0", "7.5", "1e3", "1E+2", "12e-1", "9007199254740993",
                "9223372036854775807", "-9223372036854775808", "9223372036854775808", "0.1", "4.07e-07", "1.7e308",
                "5e-324", "123456789012345678901234567890", "0.30000000000000004", "65.80000305175781", "2e22", "2e23",
            ].randomElement(using: &generator) ?? ""
        case 4, 5: return string(&generator)
        case 6:
            let items = (0..<Int.random(in: 0..<5, using: &generator)).map { _ in text(depth: depth - 1, &generator) }
            return "[\(items.joined(separator: ","))]"
        default:
            // An object occasionally has so many names that they are not searched linearly. It occasionally has a duplicate
            // name, too.
            let count = Int.random(in: 0..<20, using: &generator) == 0 ? 50 : Int.random(in: 0..<6, using: &generator)
            let items = (0..<count).map { _ in "\(string(&generator)):\(text(depth: depth - 1, &generator))" }
            return "{\(items.joined(separator: ","))}"
        }
    }

    private static func string(_ generator: inout SeededGenerator) -> String {
        let pieces = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
            [
                "a", "b", "key", "é", "日記", "😵‍💫", #"\n"#, #"\""#, #"\\"#, #"\/"#, #"\u00e9"#, #"\uD83E\uDEB4"#,
                #"\u0000"#, " ", #"\b\f\r\t"#,
            ].randomElement(using: &generator) ?? ""
        }
        return "\"\(pieces.joined())\""
    }

    /// Returns a number in any of the possible forms: with few or many digits, near the midpoint between two doubles,
    /// or with an exponent.
    package static func number(_ generator: inout SeededGenerator) -> String {
        func digits(_ count: ClosedRange<Int>) -> String {
            (0..<Int.random(in: count, using: &generator)).map { _ in
                String(Int.random(in: 0...9, using: &generator))
            }.joined()
        }
        let sign = Bool.random(using: &generator) ? "-" : ""
        let number = Double(bitPattern: UInt64.random(in: 1..<0x7FEF_FFFF_FFFF_FFFF, using: &generator))
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: return "\(sign)\(Int.random(in: 1...9, using: &generator))\(digits(0...22))"
        case 1: return "\(sign)\(Int.random(in: 0...9, using: &generator)).\(digits(1...25))"
        case 2:
            let power = Int.random(in: -45...45, using: &generator)
            return "\(sign)1.\(digits(1...24))\(["e", "E"].randomElement(using: &generator) ?? "e")\(power)"
        case 3: return sign + String(format: "%.17g", number)
        // Digits beyond the last significant digit, so that the number is just above or below a midpoint between two doubles.
        case 4: return sign + String(format: "%.\(Int.random(in: 15...22, using: &generator))e", number)
        case 5:
            let whole = UInt64.random(in: 1 << 53..<UInt64.max, using: &generator)
            return "\(sign)\(whole)e\(Int.random(in: -28...28, using: &generator))"
        // Numbers near a power of two, or near a multiple of one. Some of these powers are limits: of signed integers, of unsigned
        // integers, or of the integers that a double holds exactly.
        default:
            let power = pow(Decimal(2), Int.random(in: 52...66, using: &generator))
            let factor = Bool.random(using: &generator) ? 1 : Int.random(in: 1...1_000_000, using: &generator)
            // Adds or subtracts a little, to try the neighbors of the limits as well.
            var mantissa = "\(power * Decimal(factor) + Decimal(Int.random(in: -2...2, using: &generator)))"
            if Bool.random(using: &generator) {
                let point = Int.random(in: 1...mantissa.count, using: &generator)
                mantissa.insert(".", at: mantissa.index(mantissa.startIndex, offsetBy: point))
                if mantissa.last == "." { mantissa += "0" }
            }
            let exponent = Int.random(in: -30...30, using: &generator)
            return sign + mantissa + (Bool.random(using: &generator) ? "e\(exponent)" : "")
        }
    }
}
