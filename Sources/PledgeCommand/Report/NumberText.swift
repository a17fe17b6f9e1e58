/// The report's number format, such as `1,234.5` and `−3`, regardless of the machine's locale.
enum NumberText {
    /// Returns the number rounded to `decimals` places, with thousands separated by commas.
    static func grouped(_ value: Double, decimals: Int = 0) -> String {
        guard value.isFinite else { return "–" }
        let scale = power(of: decimals)
        let scaled = (value.magnitude * Double(scale)).rounded()
        // Above this, a Double soon can't represent every whole number, and an Int soon overflows.
        guard scaled < 1e15 else { return "\(value)" }
        let (whole, fraction) = Int(scaled).quotientAndRemainder(dividingBy: scale)
        let sign = value < 0 && scaled > 0 ? "−" : ""
        guard decimals > 0 else { return sign + separatingThousands(whole) }
        let digits = String(fraction)
        let zeros = String(repeating: "0", count: decimals - digits.count)
        return "\(sign)\(separatingThousands(whole)).\(zeros)\(digits)"
    }

    /// Returns the rounded number without a decimal part of zero: `3`, but `2.4`.
    static func trimmed(_ value: Double, decimals: Int) -> String {
        let isWhole = rounded(value, decimals: decimals) == value.rounded()
        return grouped(value, decimals: isWhole ? 0 : decimals)
    }

    /// Returns the number as it is shown, to determine whether a difference is visible at all.
    static func rounded(_ value: Double, decimals: Int) -> Double {
        let scale = Double(power(of: decimals))
        return (value * scale).rounded() / scale
    }

    private static func power(of decimals: Int) -> Int {
        (0..<max(0, decimals)).reduce(1) { product, _ in product * 10 }
    }

    private static func separatingThousands(_ number: Int) -> String {
        guard number >= 1000 else { return String(number) }
        let tail = String(number % 1000)
        return separatingThousands(number / 1000) + "," + String(repeating: "0", count: 3 - tail.count) + tail
    }
}
