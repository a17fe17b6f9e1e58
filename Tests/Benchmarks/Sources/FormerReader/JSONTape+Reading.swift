extension JSONTape {
    func string(at index: Int) -> String {
        let token = tokens[index]
        let range = Int(token.start)..<Int(token.start + token.length)
        return bytes.withUnsafeBufferPointer { bytes in
            token.kind == .string
                ? String(decoding: bytes[range], as: UTF8.self)
                : String(decoding: Self.unescaped(bytes[range]), as: UTF8.self)
        }
    }
    func integer<Number: FixedWidthInteger>(at index: Int) -> Number? {
        let token = tokens[index]
        guard token.kind == .integer else {
            return double(at: index).flatMap { Number(exactly: $0) }
        }
        return bytes.withUnsafeBufferPointer { bytes in
            let digits = bytes[Int(token.start)..<Int(token.start + token.length)]
            let isNegative = digits.first == UInt8(ascii: "-")
            var number: Number = 0
            for byte in isNegative ? digits.dropFirst() : digits {
                let digit = Number(byte - UInt8(ascii: "0"))
                let (tens, isLarge) = number.multipliedReportingOverflow(by: 10)
                let (sum, isLarger) =
                    isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
                if isLarge || isLarger { return nil }
                number = sum
            }
            return number
        }
    }
    func double(at index: Int) -> Double? {
        let token = tokens[index]
        return bytes.withUnsafeBufferPointer { bytes in
            let text = bytes[Int(token.start)..<Int(token.start + token.length)]
            if let number = Self.quickDouble(text) { return number }
            guard let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite else { return nil }
            let isZero = text.prefix { $0 | 0x20 != UInt8(ascii: "e") }.allSatisfy { !(0x31...0x39 ~= $0) }
            return number != 0 || isZero ? number : nil
        }
    }
    private static func quickDouble(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Double? {
        var mantissa: UInt64 = 0
        var (places, exponent) = (0, 0)
        var (isFraction, isNegative) = (false, false)
        var index = text.startIndex
        if text[index] == UInt8(ascii: "-") {
            isNegative = true
            index += 1
        }
        while index < text.endIndex {
            let byte = text[index]
            index += 1
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                mantissa = mantissa * 10 + UInt64(byte - UInt8(ascii: "0"))
                if isFraction { places += 1 }
                guard mantissa < 1 << 53 else { return nil }
            default:
                guard text.endIndex - index < 5, let power = Int(String(decoding: text[index...], as: UTF8.self)) else {
                    return nil
                }
                exponent = power
                index = text.endIndex
            }
        }
        exponent -= places
        guard -22...22 ~= exponent else { return nil }
        let number = Double(mantissa)
        let scaled = exponent < 0 ? number / powersOfTen[-exponent] : number * powersOfTen[exponent]
        return isNegative ? -scaled : scaled
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
    private static func unescaped(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            guard text[index] == UInt8(ascii: "\\") else {
                result.append(text[index])
                index += 1
                continue
            }
            if let byte = simpleEscape(text[index + 1]) {
                result.append(byte)
                index += 2
                continue
            }
            var code = UInt32(hexadecimal(text.base, at: index + 2) ?? 0)
            index += 6
            if 0xD800..<0xDC00 ~= code {
                code = 0x10000 + (code - 0xD800) << 10 + UInt32(hexadecimal(text.base, at: index + 2) ?? 0) - 0xDC00
                index += 6
            }
            result += Array(String(Unicode.Scalar(code).map(Character.init) ?? "\u{FFFD}").utf8)
        }
        return result
    }

    static func simpleEscape(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        default: nil
        }
    }

    static func hexadecimal(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt16? {
        var code: UInt16 = 0
        for index in start..<start + 4 {
            let digit: UInt8
            switch bytes[index] {
            case let byte where 0x30...0x39 ~= byte: digit = byte - 0x30
            case let byte where 0x61...0x66 ~= byte | 0x20: digit = (byte | 0x20) - 0x61 + 10
            // Also the zero at the end, so that this never looks beyond it.
            default: return nil
            }
            code = code << 4 | UInt16(digit)
        }
        return code
    }
}
