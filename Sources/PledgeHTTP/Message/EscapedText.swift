/// Decodes the escapes in which a service may repeat a secret.
enum EscapedText {
    /// Returns a text with `%2F` decoded; nil if there is none.
    static func percentDecoded(_ text: String) -> String? {
        unescaped(Array(text.utf8), UInt8(ascii: "%")) { rest in number(rest.prefix(2), digits: 2).map { ($0, 2) } }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns a text with JSON's `\/`, `\n`, and `\u002f` unescaped; nil if there is none.
    static func jsonUnescaped(_ text: String) -> String? {
        unescaped(Array(text.utf16), backslash) { rest in
            guard let kind = rest.first else { return nil }
            if let unit = units[kind] { return (unit, 1) }
            return kind == letterU ? number(rest.dropFirst().prefix(4), digits: 4).map { ($0, 5) } : nil
        }.map { String(decoding: $0, as: UTF16.self) }
    }

    private static let (backslash, letterU): (UInt16, UInt16) = (0x5C, 0x75)
    private static let units: [UInt16: UInt16] = [
        0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
    ]

    /// - Parameter read: Returns what an escape stands for, given the text after its mark, and the escape's length.
    private static func unescaped<Unit: FixedWidthInteger>(
        _ text: [Unit], _ mark: Unit, _ read: (ArraySlice<Unit>) -> (Unit, length: Int)?
    ) -> [Unit]? {
        guard text.contains(mark) else { return nil }
        var (plain, rest) = ([Unit](), text[...])
        while let unit = rest.popFirst() {
            let escape = unit == mark ? read(rest) : nil
            plain.append(escape?.0 ?? unit)
            rest = rest.dropFirst(escape?.length ?? 0)
        }
        return plain
    }

    private static func number<Unit: FixedWidthInteger>(_ text: ArraySlice<Unit>, digits: Int) -> Unit? {
        let values = text.compactMap { Unicode.Scalar(UInt32($0)).flatMap { Character($0).hexDigitValue } }
        return values.count == digits ? values.reduce(0) { $0 << 4 | Unit($1) } : nil
    }
}
