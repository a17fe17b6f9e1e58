import Foundation

enum Moment {
    static func parse(_ text: String) -> (date: Date, offset: Int)? {
        var rest = Substring(text).utf8
        func number(_ width: Int) -> Int? {
            guard rest.count >= width else { return nil }
            var value = 0
            for byte in rest.prefix(width) {
                guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            rest = rest.dropFirst(width)
            return value
        }
        func skip(_ characters: String) -> UInt8? {
            guard let first = rest.first, characters.utf8.contains(first) else { return nil }
            rest = rest.dropFirst()
            return first
        }
        guard let day = CivilDate.number(rest.prefix(10)) else { return nil }
        rest = rest.dropFirst(10)
        guard skip("Tt ") != nil, let hour = number(2), hour < 24, skip(":") != nil, let minute = number(2), minute < 60
        else { return nil }
        // 60 is a leap second, which counts as the next one.
        var second = 0
        if skip(":") != nil {
            guard let value = number(2), value <= 60 else { return nil }
            second = value
        }
        var nanoseconds = 0
        if skip(".,") != nil {
            let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
            guard 1...9 ~= digits, let value = number(digits) else { return nil }
            nanoseconds = (digits..<9).reduce(value) { value, _ in value * 10 }
        }
        var offset = 0
        if let sign = skip("+-") {
            guard let hours = number(2), hours < 24 else { return nil }
            _ = skip(":")
            let minutes = rest.isEmpty ? 0 : number(2)
            guard let minutes, minutes < 60 else { return nil }
            offset = (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
        } else {
            _ = skip("Zz")
        }
        guard rest.isEmpty else { return nil }
        let seconds = day * 86_400 + hour * 3600 + minute * 60 + second - offset
        return (Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9), offset)
    }

    static func decode<Key>(_ container: KeyedDecodingContainer<Key>, _ key: Key) throws -> Date {
        let text = try container.decode(String.self, forKey: key)
        guard let (date, _) = parse(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: "“\(text)” is not a date and time")
        }
        return date
    }
}
