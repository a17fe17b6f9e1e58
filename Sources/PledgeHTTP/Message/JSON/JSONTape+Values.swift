import Foundation

extension JSONTape {
    /// A text; nil where there is none, or where its escapes make none.
    func text(_ index: Int) -> String? {
        let node = nodes[index]
        guard node.kind == .text else { return nil }
        let range = Int(node.start)..<Int(node.end)
        guard node.hasEscapes else {
            return bytes.withUnsafeBufferPointer { bytes in
                String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
            }
        }
        // Rare enough to leave it to Foundation.
        let quoted = Data(bytes[range.lowerBound - 1..<range.upperBound + 1])
        return try? JSONDecoder().decode(String.self, from: quoted)
    }

    /// A whole number, also one written as `4174.0`; nil where there is none, or none that fits.
    func integer<Number: FixedWidthInteger>(_ index: Int) -> Number? {
        let node = nodes[index]
        guard node.kind == .number else { return nil }
        var digits = bytes[Int(node.start)..<Int(node.end)]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        var number: Number = 0
        for byte in digits {
            guard 0x30...0x39 ~= byte else { return double(index).flatMap { Number(exactly: $0) } }
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let digit = Number(truncatingIfNeeded: byte - 0x30)
            let (sum, overflows) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            guard !isTooLarge, !overflows else { return nil }
            number = sum
        }
        return number
    }

    func double(_ index: Int) -> Double? {
        let node = nodes[index]
        guard node.kind == .number else { return nil }
        var (mantissa, exponent, isNegative, digits, isFraction) = (0 as UInt64, 0, false, 0, false)
        for byte in bytes[Int(node.start)..<Int(node.end)] {
            switch byte {
            case 0x30...0x39:
                mantissa = mantissa &* 10 &+ UInt64(byte - 0x30)
                digits += 1
                if isFraction { exponent -= 1 }
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "-") where digits == 0: isNegative = true
            // An exponent, which is rare.
            default: digits = 99
            }
        }
        // Exact below 2⁵³ and 10²²: one division rounds as it should. With more digits it takes an algorithm.
        guard digits <= 15, exponent >= -22 else {
            let text = String(decoding: bytes[Int(node.start)..<Int(node.end)], as: UTF8.self)
            return Double(text).flatMap { $0.isFinite ? $0 : nil }
        }
        let value = Double(mantissa) / Self.powersOfTen[-exponent]
        return isNegative ? -value : value
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    func bool(_ index: Int) -> Bool? {
        switch nodes[index].kind {
        case .yes: true
        case .no: false
        default: nil
        }
    }

    /// Where a member's value is; nil if there is none of that name.
    ///
    /// Half of reading is looking for members, hence the bare pointers, which stay within these braces.
    func member(_ name: String, of object: Int) -> Int? {
        var wanted = name
        return wanted.withUTF8 { wanted in
            nodes.withUnsafeBufferPointer { nodes in
                bytes.withUnsafeBufferPointer { bytes in
                    let end = Int(nodes[object].end)
                    var key = object + 1
                    while key < end {
                        let (node, value) = (nodes[key], nodes[key + 1])
                        let count = Int(node.end - node.start)
                        let found =
                            node.hasEscapes
                            ? text(key) == name
                            : count == wanted.count && Self.isSame(bytes, Int(node.start), wanted, count)
                        if found { return key + 1 }
                        key = value.kind == .array || value.kind == .object ? Int(value.end) : key + 2
                    }
                    return nil
                }
            }
        }
    }

    private static func isSame(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ other: UnsafeBufferPointer<UInt8>, _ count: Int
    ) -> Bool {
        guard count > 0, let one = bytes.baseAddress, let other = other.baseAddress else { return count == 0 }
        return memcmp(one + start, other, count) == 0
    }

    /// The way from the top to a value: worked out only when something is wrong there.
    func path(to target: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var container = 0
        while container < target {
            let isObject = nodes[container].kind == .object
            var (child, number) = (container + 1, 0)
            while true {
                let value = isObject ? child + 1 : child
                let next = index(after: value)
                if target < next {
                    path.append(isObject ? TapeKey(stringValue: text(child) ?? "") : TapeKey(intValue: number))
                    container = value
                    break
                }
                (child, number) = (next, number + 1)
            }
        }
        return path
    }
}

/// A step on the way to a value.
struct TapeKey: CodingKey {
    var stringValue: String
    var intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init(intValue: Int) {
        stringValue = "Index \(intValue)"
        self.intValue = intValue
    }
}
