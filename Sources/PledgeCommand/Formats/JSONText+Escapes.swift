import Foundation
import PledgeCoding

extension JSONText {
    mutating func append(json number: Double) {
        // JSON cannot represent infinities and NaN.
        if number.isFinite { append(number) } else { append("null") }
    }

    /// Escapes what JSON requires, and characters that control terminals, editors, or line readers: to a parser, the
    /// text is the same, and it is safe for `cat`, `grep`, and Python's `splitlines`.
    mutating func append(quoted text: String) {
        var (text, isPlain) = (text, true)
        text.withUTF8 { utf8 in
            if utf8.isPlain { append(quotedPlain: utf8) } else { isPlain = false }
        }
        if !isPlain { append(quotedEscaping: text) }
    }

    @inline(__always)
    private mutating func append(quotedPlain utf8: UnsafeBufferPointer<UInt8>) {
        append(atMost: utf8.count + 2) { room in
            room[0] = UInt8(ascii: "\"")
            UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[1...])
                .copyMemory(from: UnsafeRawBufferPointer(utf8))
            room[utf8.count + 1] = UInt8(ascii: "\"")
            return utf8.count + 2
        }
    }

    private mutating func append(quotedEscaping text: String) {
        append(byte: UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": append(#"\""#)
            case "\\": append(#"\\"#)
            case "\n": append(#"\n"#)
            case _ where scalar.steersDisplay: append(plain: scalar.jsonEscape)
            default: for byte in scalar.utf8 { append(byte: byte) }
            }
        }
        append(byte: UInt8(ascii: "\""))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether all bytes are ASCII that needs no escapes, as in most texts. Checks eight at once.
    fileprivate var isPlain: Bool {
        guard count >= 8 else { return Self.suspects(in: reduce(0x2020_2020_2020_2020) { $0 << 8 | UInt64($1) }) == 0 }
        let bytes = UnsafeRawBufferPointer(self)
        // The last eight include some that are checked twice.
        var suspects = Self.suspects(in: bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
        for offset in stride(from: 0, to: count - 8, by: 8) {
            suspects |= Self.suspects(in: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        return suspects == 0
    }

    /// Returns zero if all eight bytes are ASCII that needs no escapes.
    @inline(__always)
    private static func suspects(in word: UInt64) -> UInt64 {
        // Subtracting from a smaller byte sets its highest bit, which bytes beyond ASCII have anyway.
        let ones: UInt64 = 0x0101_0101_0101_0101
        let controls = word &- ones &* 0x20
        let quotes = (word ^ ones &* 0x22) &- ones
        let backslashes = (word ^ ones &* 0x5C) &- ones
        let deletes = (word ^ ones &* 0x7F) &- ones
        return (word | controls | quotes | backslashes | deletes) & (ones &* 0x80)
    }
}

extension Unicode.Scalar {
    /// The escape, such as `\u2028`, of four digits, which suffice for all escaped characters.
    fileprivate var jsonEscape: String { #"\u"# + NumberText.digits(Int(value), atLeast: 4, radix: 16) }
}

extension String {
    /// JSON text with the escapes that an encoder omits. They can only occur within strings.
    fileprivate var jsonEscapingControls: String {
        unicodeScalars.map { $0.steersDisplay && $0 != "\n" ? $0.jsonEscape : String($0) }.joined()
    }
}

extension Encodable {
    /// Returns JSON for people and programs: indented, in a fixed order, with times in ISO 8601.
    func prettyJSON() throws -> String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self).jsonEscapingControls + "\n"
    }
}
