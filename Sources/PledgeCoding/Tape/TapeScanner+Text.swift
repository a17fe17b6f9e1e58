extension TapeScanner {
    /// Scans a string through its closing quotation mark; inline only if it is plain ASCII: 5 % of a page of averages.
    @inline(__always)
    mutating func string() -> Bool {
        let start = at &+ 1
        var end = plain(from: start)
        if memory.byte(end) == UInt8(ascii: "\"") {
            add(.text, start, end &- start)
        } else {
            guard let rest = rest(end) else { return false }
            end = rest.end
            add(.text, start, end &- start, isMarked: rest.hasEscapes)
        }
        at = end &+ 1
        return true
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

    /// Returns the offset of the closing quotation mark of a text that is not all plain ASCII, or nil if it is invalid.
    @inline(never)
    private func rest(_ start: Int) -> (end: Int, hasEscapes: Bool)? {
        var (offset, hasEscapes) = (start, false)
        while true {
            switch memory.byte(offset) {
            case UInt8(ascii: "\""): return (offset, hasEscapes)
            case UInt8(ascii: "\\"):
                guard let next = escape(offset) else { return nil }
                (offset, hasEscapes) = (next, true)
            case 0x80...:
                guard let next = character(offset) else { return nil }
                offset = next
            default: return nil
            }
            offset = plain(from: offset)
        }
    }

    /// Scans `\n`, `\u00E9`, a surrogate pair, or half of one: if a service truncated a text inside an emoji, that
    /// costs one character, not the whole response.
    private func escape(_ offset: Int) -> Int? {
        guard memory.byte(offset + 1) == UInt8(ascii: "u") else {
            return TextEscapes.simple(memory.byte(offset + 1)) == nil ? nil : offset + 2
        }
        return TextEscapes.hexadecimal(memory.four(offset + 2)) == nil ? nil : offset + 6
    }

    /// Scans a character of two to four bytes, which must be valid UTF-8.
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
