/// Resolves the escapes in text that a scanner has validated.
enum TextEscapes {
    static func string(_ text: TextBytes) -> String {
        String(unsafeUninitializedCapacity: text.count) { result in
            // The result is never longer than the text with its escapes.
            var (offset, count) = (0, 0)
            while true {
                let run = text.run(from: offset, upTo: UInt8(ascii: "\\"))
                count = result[count...].update(fromContentsOf: run)
                offset += run.count
                guard offset < text.count else { break }
                if let byte = simple(text[offset + 1]) {
                    result[count] = byte
                    count += 1
                    offset += 2
                    continue
                }
                var code = unit(text, offset + 2)
                offset += 6
                if 0xD800..<0xDC00 ~= code, offset < text.count, text[offset] == UInt8(ascii: "\\"),
                    text[offset + 1] == UInt8(ascii: "u"), case let second = unit(text, offset + 2),
                    0xDC00..<0xE000 ~= second
                {
                    code = 0x10000 + (code - 0xD800) << 10 + second - 0xDC00
                    offset += 6
                }
                // An unpaired surrogate is not a character.
                for byte in UTF8.encode(Unicode.Scalar(code) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter {
                    result[count] = byte
                    count += 1
                }
            }
            return count
        }
    }

    private static func unit(_ text: TextBytes, _ offset: Int) -> UInt32 {
        hexadecimal((0..<4).reduce(0) { $0 | UInt32(text[offset + $1]) << UInt32($1 * 8) }) ?? 0
    }

    /// Returns the byte that an escape such as `\n` represents, or nil if there is no such escape.
    static func simple(_ byte: UInt8) -> UInt8? {
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

    /// Returns the value of four hexadecimal digits, the first of which is in the lowest byte.
    static func hexadecimal(_ digits: UInt32) -> UInt32? {
        var (code, rest): (UInt32, UInt32) = (0, digits)
        for _ in 0..<4 {
            let byte = rest & 0xFF
            switch byte {
            case 0x30...0x39: code = code << 4 | (byte - 0x30)
            case 0x41...0x46, 0x61...0x66: code = code << 4 | ((byte | 0x20) - 0x61 + 10)
            default: return nil
            }
            rest >>= 8
        }
        return code
    }
}
