import Foundation

/// Parses numbers from text that a scanner has validated.
enum JSONNumber {
    /// Parses an integer. Returns nil if it does not fit into the type. The text must have neither a decimal point nor
    /// an exponent.
    @inline(__always) static func integer<Number: FixedWidthInteger>(_ text: TextBytes) -> Number? {
        let isNegative = text[0] == UInt8(ascii: "-")
        guard text.count <= 18 else { return Number(text.string) }
        // A text of at most 18 bytes is too short to overflow an `Int64`.
        var number: Int64 = 0
        for offset in (isNegative ? 1 : 0)..<text.count { number = number &* 10 &+ Int64(text[offset] &- 0x30) }
        return Number(exactly: isNegative ? 0 &- number : number)
    }

    /// Returns the double that is nearest to the number. Returns nil if that double is infinite, or if it is zero
    /// although the number is not zero.
    static func double(_ text: TextBytes) -> Double? {
        quickDouble(text) ?? nearest(text, Double(text.string))
    }

    /// Parses a whole number that has a decimal point or an exponent. Returns nil if the number is not whole, or does
    /// not fit into the type. `number` is the nearest double.
    static func whole<Number: FixedWidthInteger>(_ text: TextBytes, near number: Double) -> Number? {
        // A double represents every smaller integer exactly. Above, it may be a neighbor of the number.
        if number.magnitude < 0x1p53 { return Number(exactly: number) }
        return Decimal(digits: text.string).flatMap { Number("\($0)") }
    }

    /// Returns a parsed number. Returns nil if it is infinite, or if it is zero although the text isn't.
    static func nearest<Number: BinaryFloatingPoint>(_ text: TextBytes, _ number: Number?) -> Number? {
        guard let number, number.isFinite else { return nil }
        let isZero = text.prefix { $0 | 0x20 != UInt8(ascii: "e") }.allSatisfy { !(0x31...0x39 ~= $0) }
        return number != 0 || isZero ? number : nil
    }

    /// Parses most numbers that occur in practice; returns nil for the others. It takes a tenth of the instructions
    /// that `Double(_:)` takes.
    ///
    /// It parses numbers of at most 19 digits whose exponent of ten is in −27...27, so that the power of five fits into
    /// 64 bits. The result is the nearest double, because it is rounded only once.
    private static func quickDouble(_ text: TextBytes) -> Double? {
        let isNegative = text[0] == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        var mantissa = UInt64(0)
        var exponent = 0
        var offset = start
        func readDigits() {
            while offset < text.count, text[offset] &- 0x30 < 10 {
                mantissa = mantissa &* 10 &+ UInt64(text[offset] &- 0x30)
                offset &+= 1
            }
        }
        readDigits()
        if offset < text.count, text[offset] == UInt8(ascii: ".") {
            offset += 1
            let point = offset
            readDigits()
            exponent = point - offset
        }
        // A number may have more than 19 digits if the first ones are zeros. These zeros, and a decimal point among
        // them, do not count.
        let digits = offset - start - (exponent < 0 ? 1 : 0)
        guard digits <= 19 || text[start..<offset].drop(while: { $0 < 0x31 }).count <= 19 else { return nil }
        if offset < text.count {
            guard let power = power(text, offset + 1) else { return nil }
            exponent += power
        }
        guard -27...27 ~= exponent else { return nil }
        let number: Double
        if mantissa < 1 << 53, -22...22 ~= exponent {
            // A double represents the mantissa exactly, and the power of ten as well. So only the result is rounded.
            let power = powersOfTen[abs(exponent)]
            number = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
        } else {
            number = scaled(mantissa, exponent)
        }
        return isNegative ? -number : number
    }

    /// Parses the exponent that follows the `e`. Returns nil if the exponent has five or more digits.
    private static func power(_ text: TextBytes, _ start: Int) -> Int? {
        let isNegative = text[start] == UInt8(ascii: "-")
        let first = isNegative || text[start] == UInt8(ascii: "+") ? start + 1 : start
        guard text.count - first < 5 else { return nil }
        let power = (first..<text.count).reduce(0) { $0 * 10 + Int(text[$1] &- 0x30) }
        return isNegative ? -power : power
    }

    /// Returns the mantissa times a power of ten.
    ///
    /// The result is first calculated as an integer of 62 to 64 bits, times a power of two. If bits below the integer's
    /// last bit are lost, the last bit is set. Then the integer is rounded to a double. This is the only rounding, and
    /// the last bit ensures that it goes in the right direction.
    private static func scaled(_ mantissa: UInt64, _ exponent: Int) -> Double {
        let fives = powersOfFive[abs(exponent)]
        let zeros = mantissa.leadingZeroBitCount
        let shift = fives.leadingZeroBitCount
        let high = mantissa << UInt64(zeros)
        let divisor = fives << UInt64(shift)
        let bits: UInt64
        let scale: Int
        if exponent < 0 {
            // The dividend is half of the number, so that the quotient fits into 64 bits.
            let (quotient, rest) = divisor.dividingFullWidth((high >> 1, high << 63))
            bits = quotient | (rest == 0 ? 0 : 1)
            scale = exponent + 1 - zeros - 64 + shift
        } else {
            let product = high.multipliedFullWidth(by: divisor)
            bits = product.high | (product.low == 0 ? 0 : 1)
            scale = exponent + 64 - zeros - shift
        }
        return Double(sign: .plus, exponent: scale, significand: Double(bits))
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
    private static let powersOfFive: [UInt64] = (0...27).map { (0..<$0).reduce(1) { power, _ in power * 5 } }
}
