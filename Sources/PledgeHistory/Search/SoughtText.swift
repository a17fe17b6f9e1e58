import Foundation

/// A text to search for in stored data, and the forms in which the data may contain the text.
package struct SoughtText: Sendable {
    package let text: String
    /// The text in UTF-8, as it was given and in both Unicode normalizations. The normalizations encode letters with
    /// accents differently.
    private let plain: [[UInt8]]
    /// Whether the text has letters that the Unicode normalizations encode differently, such as letters with accents.
    private let hasAccents: Bool
    /// The byte sequences that the text may have in a file. The text may be in UTF-8 or UTF-16. It may be plain, or
    /// have the escapes of JSON, URLs, or HTML.
    package let forms: [[UInt8]]
    /// The number that the text spells; nil if the text isn't a number. A database may store such a text as a number.
    let number: SQLValue?

    package init(_ text: String) {
        self.text = text
        let given = [text, text.precomposedStringWithCanonicalMapping, text.decomposedStringWithCanonicalMapping]
        plain = Self.distinct(given.map { Array($0.utf8) })
        hasAccents = plain.count > 1
        let written = given.flatMap { [$0] + Self.escaped($0) }
        forms = Self.distinct(
            written.map { Array($0.utf8) }
                + written.flatMap { text in
                    [true, false].map { isLittle in
                        text.utf16.flatMap { unit in
                            isLittle ? [UInt8(unit & 0xFF), UInt8(unit >> 8)] : [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                        }
                    }
                })
        let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
        number = Int(text).map { .integer($0) } ?? (isDecimal ? Double(text).map { .real($0) } : nil)
    }

    private static func distinct(_ forms: [[UInt8]]) -> [[UInt8]] {
        forms.reduce(into: []) { if !$1.isEmpty, !$0.contains($1) { $0.append($1) } }
    }

    // MARK: Looking for it

    /// Returns whether stored bytes contain this text, either plain or with any mixture of escapes.
    package func isIn(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if plain.contains(where: { Self.first($0, in: bytes) != nil }) { return true }
        guard let address = bytes.baseAddress,
            hasAccents
                || [UInt8(ascii: "\\"), UInt8(ascii: "%"), UInt8(ascii: "&")].contains(where: {
                    memchr(address, Int32($0), bytes.count) != nil
                })
        else { return false }
        return isBehindEscapes(Array(bytes), depth: 3)
    }

    /// Returns whether bytes contain the text after their escapes have been removed. Escapes are removed up to `depth`
    /// times, because a text may be escaped several times. An example is JSON in a string of other JSON.
    private func isBehindEscapes(_ bytes: [UInt8], depth: Int) -> Bool {
        (Self.decoders + (hasAccents ? [Self.decomposed] : [])).contains { decode in
            guard let decoded = decode(bytes) else { return false }
            let isFound = decoded.withUnsafeBytes { buffer in
                plain.contains { Self.first($0, in: buffer) != nil }
            }
            return isFound || depth > 1 && isBehindEscapes(decoded, depth: depth - 1)
        }
    }

    /// Returns the offset at which a form of a text first occurs in the bytes, at or after `start`.
    package static func first(_ form: [UInt8], in bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        guard let base = bytes.baseAddress, !form.isEmpty else { return nil }
        // If a form in UTF-16 begins with a zero byte, the search is for its second byte. Files are full of zeros, so
        // searching for a zero would be slow.
        let lead = form[0] == 0 && form.count > 1 ? 1 : 0
        var start = start
        while start + form.count <= bytes.count,
            let next = memchr(base + start + lead, Int32(form[lead]), bytes.count - form.count - start + 1)
        {
            let place = base.distance(to: next) - lead
            if memcmp(base + place, form, form.count) == 0 { return place }
            start = place + 1
        }
        return nil
    }

    // MARK: Escapes

    /// Returns the text with escapes, once for each common way to escape it.
    private static func escaped(_ text: String) -> [String] {
        func replacing(_ replace: (Unicode.Scalar) -> String?) -> String {
            text.unicodeScalars.map { replace($0) ?? String($0) }.joined()
        }
        func units(_ scalar: Unicode.Scalar, _ format: String) -> String {
            String(scalar).utf16.map { String(format: format, $0) }.joined()
        }
        let short: [Unicode.Scalar: String] = [
            "\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\u{8}": "\\b", "\u{C}": "\\f",
        ]
        let html: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"]
        let json = ["\\u%04x", "\\u%04X"].flatMap { format in
            [false, true].flatMap { isASCII in
                ["/", "\\/"].map { slash in
                    replacing { scalar in
                        if scalar == "/" { return slash }
                        if let known = short[scalar] { return known }
                        return scalar.value < 0x20 || isASCII && !scalar.isASCII ? units(scalar, format) : nil
                    }
                }
            }
        }
        let unreserved = CharacterSet(charactersIn: "-._~").union(.init(charactersIn: "a"..."z"))
            .union(.init(charactersIn: "A"..."Z")).union(.init(charactersIn: "0"..."9"))
        let percent = ["%%%02X", "%%%02x"].map { format in
            replacing { scalar in
                unreserved.contains(scalar) ? nil : String(scalar).utf8.map { String(format: format, $0) }.joined()
            }
        }
        return json + percent
            + ["&#39;", "&#x27;", "&apos;"].map { quote in replacing { $0 == "'" ? quote : html[$0] } }
    }

    /// The functions that remove escapes. Each removes one kind of escapes from a text, and returns nil if the text has
    /// no escapes of that kind.
    private static let decoders: [@Sendable ([UInt8]) -> [UInt8]?] = [
        { decoded($0, at: "\\", json) }, { decoded($0, at: "%", percent) }, { decoded($0, at: "&", html) },
    ]

    /// Returns the text in the Unicode normalization in which accents are separate from their letters. ``plain``
    /// includes the sought text in that form. Returns nil if the normalization changes nothing.
    @Sendable private static func decomposed(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.contains(where: { $0 >= 0x80 }) else { return nil }
        let decomposed = Array(String(decoding: bytes, as: UTF8.self).decomposedStringWithCanonicalMapping.utf8)
        return decomposed == bytes ? nil : decomposed
    }

    private static func decoded(
        _ bytes: [UInt8], at sign: Unicode.Scalar, _ read: (ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)?
    ) -> [UInt8]? {
        let sign = UInt8(ascii: sign)
        guard var next = bytes.firstIndex(of: sign) else { return nil }
        var decoded = [UInt8]()
        var start = 0
        var isChanged = false
        decoded.reserveCapacity(bytes.count)
        while true {
            decoded += bytes[start..<next]
            if let escape = read(bytes[next...]) {
                decoded += escape.bytes
                start = next + escape.length
                isChanged = true
            } else {
                decoded.append(sign)
                start = next + 1
            }
            guard let following = bytes[start...].firstIndex(of: sign) else { break }
            next = following
        }
        return isChanged ? decoded + bytes[start...] : nil
    }

    private static func json(_ rest: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        guard let letter = rest.dropFirst().first else { return nil }
        guard letter == UInt8(ascii: "u") else {
            let controls: [UInt8: UInt8] = [0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09, 0x62: 0x08, 0x66: 0x0C]
            return ([controls[letter] ?? letter], 2)
        }
        guard let unit = hexadecimal(rest.dropFirst(2).prefix(4), 4) else { return nil }
        let following = rest.dropFirst(6)
        if UTF16.isLeadSurrogate(UInt16(unit)), following.prefix(2).elementsEqual("\\u".utf8),
            let trail = hexadecimal(following.dropFirst(2).prefix(4), 4), UTF16.isTrailSurrogate(UInt16(trail))
        {
            return (Array(String(decoding: [UInt16(unit), UInt16(trail)], as: UTF16.self).utf8), 12)
        }
        return (Array(String(decoding: [UInt16(unit)], as: UTF16.self).utf8), 6)
    }

    private static func percent(_ rest: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        hexadecimal(rest.dropFirst().prefix(2), 2).map { ([UInt8($0)], 3) }
    }

    private static func html(_ rest: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        guard let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: rest[rest.startIndex + 1..<end], as: UTF8.self)
        let length = end - rest.startIndex + 1
        let names = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}"]
        if let known = names[name] { return (Array(known.utf8), length) }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let value =
            digits.hasPrefix("x") || digits.hasPrefix("X") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return value.flatMap(Unicode.Scalar.init).map { (Array(String($0).utf8), length) }
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>, _ count: Int) -> UInt32? {
        guard digits.count == count, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }) else {
            return nil
        }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
