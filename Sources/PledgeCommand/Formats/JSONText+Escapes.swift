import PledgeCoding

extension ByteBuffer {
    mutating func append(json number: Double) {
        // JSON cannot represent infinities and NaN.
        if number.isFinite { append(number) } else { append("null") }
    }

    /// Escapes what JSON requires, and characters that control terminals, editors, or line readers: to a parser, the
    /// text is the same, and it is safe for `cat`, `grep`, and Python's `splitlines`.
    mutating func append(quoted text: String) {
        var text = text
        text.withUTF8 { utf8 in
            if utf8.isPlain { append(quotedPlain: utf8) } else { append(quotedEscaping: utf8) }
        }
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

    private mutating func append(quotedEscaping utf8: UnsafeBufferPointer<UInt8>) {
        append(byte: UInt8(ascii: "\""))
        var start = 0
        while true {
            let end = utf8.firstEscape(from: start)
            append(UnsafeBufferPointer(rebasing: utf8[start..<end.offset]))
            guard end.length > 0 else { break }
            append(escape: end.scalar)
            start = end.offset + end.length
        }
        append(byte: UInt8(ascii: "\""))
    }

    private mutating func append(escape scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": append(#"\""#)
        case "\\": append(#"\\"#)
        case "\n": append(#"\n"#)
        default: append(plain: scalar.jsonEscape)
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the next character to be escaped; of length 0 if there is none.
    fileprivate func firstEscape(from start: Int) -> (offset: Int, length: Int, scalar: Unicode.Scalar) {
        var offset = start
        while true {
            offset = firstSuspect(from: offset)
            guard offset < count else { return (count, 0, "\0") }
            // Beyond ASCII, all escaped characters begin with one of these two bytes.
            let length = self[offset] == 0xC2 ? 2 : self[offset] == 0xE2 ? 3 : 1
            let scalar = length == 1 ? Unicode.Scalar(self[offset]) : scalar(at: offset, length)
            if length == 1 || scalar.steersDisplay { return (offset, length, scalar) }
            offset += length
        }
    }

    /// Returns the next byte that may begin a character to be escaped.
    private func firstSuspect(from start: Int) -> Int {
        self[start...].firstIndex { byte in
            switch byte {
            case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F, 0xC2, 0xE2: true
            default: false
            }
        } ?? count
    }

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

    /// Of two or three bytes; a string's bytes are valid UTF-8.
    private func scalar(at offset: Int, _ length: Int) -> Unicode.Scalar {
        var value = UInt32(self[offset]) & (length == 2 ? 0x1F : 0x0F)
        for more in 1..<length { value = value << 6 | UInt32(self[offset + more]) & 0x3F }
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }
}

extension Unicode.Scalar {
    /// The escape, such as `\u2028`, of four digits, which suffice for all escaped characters.
    fileprivate var jsonEscape: String { #"\u"# + NumberText.digits(Int(value), atLeast: 4, radix: 16) }
}

extension String {
    /// JSON text with the escapes that an encoder omits; see ``JSONText``. They can only occur within strings.
    var jsonEscapingControls: String {
        var escaped = ""
        for scalar in unicodeScalars {
            if scalar.steersDisplay, scalar != "\n" {
                escaped += scalar.jsonEscape
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
