/// Formats numbers for people to read, such as `1,234.5` and `−3`, in the same way on every machine, regardless of its
/// locale.
package enum NumberText {
    /// Returns the number rounded to `decimals` places, with thousands separated by commas.
    package static func grouped(_ value: Double, decimals: Int = 0) -> String {
        guard value.isFinite else { return "–" }
        let scale = power(of: decimals)
        let scaled = (value.magnitude * Double(scale)).rounded()
        // A larger number is not formatted: not far above 1e15, a `Double` can't represent every whole number, and an
        // `Int` overflows.
        guard scaled < 1e15 else { return "\(value)" }
        let (whole, fraction) = Int(scaled).quotientAndRemainder(dividingBy: scale)
        let sign = value < 0 && scaled > 0 ? "−" : ""
        guard decimals > 0 else { return sign + separatingThousands(whole) }
        return "\(sign)\(separatingThousands(whole)).\(digits(fraction, atLeast: decimals))"
    }

    /// Returns a whole number with its thousands separated by commas.
    package static func grouped(_ number: Int) -> String { grouped(Double(number)) }

    /// Returns a number with its noun, such as `1 account` and `1,200 accounts`.
    package static func counted(_ number: Int, _ noun: String) -> String {
        "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    /// Returns a duration in seconds, minutes, or hours, depending on its length, such as `90 s`, `12 min`, and `2 h 5
    /// min`.
    package static func duration(_ seconds: Double) -> String {
        switch seconds {
        case ..<99.5: "\(Int(seconds.rounded())) s"
        case ..<5_970: "\(Int((seconds / 60).rounded())) min"
        default: "\(Int(seconds / 3600)) h \(Int(seconds / 60) % 60) min"
        }
    }

    /// Returns the number rounded to `decimals` places. If the result is a whole number, it has no decimals: `3`, but
    /// `2.4`.
    package static func trimmed(_ value: Double, decimals: Int) -> String {
        let isWhole = rounded(value, decimals: decimals) == value.rounded()
        return grouped(value, decimals: isWhole ? 0 : decimals)
    }

    /// Returns the number rounded to `decimals` places. By comparing rounded numbers, a caller can determine whether a
    /// difference is visible at all.
    package static func rounded(_ value: Double, decimals: Int) -> Double {
        let scale = Double(power(of: decimals))
        return (value * scale).rounded() / scale
    }

    static func power(of decimals: Int) -> Int {
        (0..<max(0, decimals)).reduce(1) { product, _ in product * 10 }
    }

    private static func separatingThousands(_ number: Int) -> String {
        guard number >= 1000 else { return String(number) }
        return separatingThousands(number / 1000) + "," + digits(number % 1000, atLeast: 3)
    }

    /// Returns the digits of a whole number. If the number has fewer than `count` digits, zeros are added in front.
    package static func digits(_ number: Int, atLeast count: Int, radix: Int = 10) -> String {
        let digits = String(number, radix: radix)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
