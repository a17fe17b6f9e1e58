extension TapeScanner {
    /// Scans a string, from its opening quotation mark through the closing one.
    @inline(__always)
    mutating func string() -> Bool {
        at &+= 1
        let start = at
        var hasEscapes = false
        while true {
            at = plain(from: at)
            switch memory.byte(at) {
            case UInt8(ascii: "\""):
                add(.text, start, at &- start, isMarked: hasEscapes)
                at &+= 1
                return true
            case UInt8(ascii: "\\"):
                guard let next = escape(at) else { return false }
                hasEscapes = true
                at = next
            case 0x80...:
                guard let next = character(at) else { return false }
                at = next
            default: return false
            }
        }
    }

    /// Returns where plain ASCII ends: at a quotation mark, backslash, control character, or non-ASCII byte. Examines
    /// eight bytes at a time: the highest bit of each is set if it is one of these. A borrow also sets it in higher
    /// bytes, so only the first counts.
    @inline(__always)
    private func plain(from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var offset = start
        while true {
            let eight = memory.eight(offset)
            let (quote, backslash) = (eight ^ (ones &* 0x22), eight ^ (ones &* 0x5C))
            let found = ((quote &- ones) | (backslash &- ones) | (eight &- (ones &* 0x20)) | eight) & (ones &* 0x80)
            guard found == 0 else { return offset &+ found.trailingZeroBitCount >> 3 }
            offset &+= 8
        }
    }

    // The following methods take and return an offset: mutating `self` would keep it out of registers.

    /// Scans `\n`, `\u00E9`, a surrogate pair, or half of one: if a service truncated a text inside an emoji, that
    /// costs one character, not the whole response.
    @inline(never)
    private func escape(_ offset: Int) -> Int? {
        guard memory.byte(offset + 1) == UInt8(ascii: "u") else {
            return TextEscapes.simple(memory.byte(offset + 1)) == nil ? nil : offset + 2
        }
        return TextEscapes.hexadecimal(memory.four(offset + 2)) == nil ? nil : offset + 6
    }

    /// Scans a character of two to four bytes, which must be valid UTF-8.
    @inline(never)
    private func character(_ offset: Int) -> Int? {
        let second: ClosedRange<UInt8>
        let length: Int
        switch memory.byte(offset) {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard second ~= memory.byte(offset + 1) else { return nil }
        for more in stride(from: 2, to: length, by: 1) {
            guard 0x80...0xBF ~= memory.byte(offset + more) else { return nil }
        }
        return offset + length
    }
}
