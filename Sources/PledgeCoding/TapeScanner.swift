/// Scans the bytes of JSON once, and records where each value is. Its arithmetic is unchecked, because all results are
/// offsets into at most 2^28 bytes.
struct TapeScanner {
    /// The maximum depth, the same as that of Foundation's decoder.
    static let deepest = 512
    /// A depth that few responses exceed, and little enough for the stack of any thread.
    static let usual = 100

    let memory: TapeMemory
    var at = 0
    private(set) var count = 0
    /// The depth up to which the scanner goes on without a further look: first that of usual JSON.
    private var mostLevels = usual

    /// Scans the JSON. Returns the number of tokens, whether it is deeper than ``usual``, and what is wrong with it.
    static func scan(_ memory: TapeMemory) -> (count: Int, isDeep: Bool, problem: JSONTape.Problem?) {
        var scanner = TapeScanner(memory: memory)
        let problem = scanner.values()
        return (scanner.count, scanner.mostLevels > usual, problem)
    }

    /// Uses neither recursion nor a stack: an open container keeps its state in its own token.
    @inline(__always)
    private mutating func values() -> JSONTape.Problem? {
        if memory.four(0) & 0xFF_FFFF == 0xBF_BBEF { at = 3 }
        var depth = 0
        var this = Container(token: 0, isObject: false, outer: 0)
        value: while true {
            skipSpaces()
            switch memory.byte(at) {
            case UInt8(ascii: "\""):
                guard string() else { return .notJSON }
            case let byte where byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["):
                if depth == mostLevels {
                    guard depth < Self.deepest else { return .deeper(than: Self.deepest) }
                    mostLevels = Self.deepest
                }
                if depth > 0 { memory.write(this.token(position: this.outer), at: this.token) }
                this = Container(token: count, isObject: byte == UInt8(ascii: "{"), outer: this.token)
                depth &+= 1
                count &+= 1
                at &+= 1
                skipSpaces()
                if memory.byte(at) != this.end {
                    guard !this.isObject || key() else { return .notJSON }
                    continue value
                }
                at &+= 1
                close(&this, &depth)
            case UInt8(ascii: "n"):
                guard memory.four(at) == 0x6C6C_756E else { return .notJSON }
                word(.null, 4)
            case UInt8(ascii: "t"):
                guard memory.four(at) == 0x6575_7274 else { return .notJSON }
                word(.bool, 4, isMarked: true)
            case UInt8(ascii: "f"):
                guard memory.four(at + 1) == 0x6573_6C61 else { return .notJSON }
                word(.bool, 5)
            default:
                guard number() else { return .notJSON }
            }
            // What follows a value: the next one, or the end of its container, or of several nested ones.
            while true {
                skipSpaces()
                guard depth > 0 else {
                    guard at == memory.size else { return .notJSON }
                    // A null that is not part of the JSON, used for missing values.
                    add(.null, at, 0)
                    return nil
                }
                this.count &+= 1
                let byte = memory.byte(at)
                at &+= 1
                if byte == UInt8(ascii: ",") {
                    if this.isObject {
                        skipSpaces()
                        guard key() else { return .notJSON }
                    }
                    continue value
                }
                guard byte == this.end else { return .notJSON }
                close(&this, &depth)
            }
        }
    }

    /// An array or object that is still open, and the one that contains it.
    private struct Container {
        let token: Int
        let isObject: Bool
        let outer: Int
        var count = 0

        var end: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }

        @inline(__always) func token(position: Int) -> TapeToken {
            TapeToken(isObject ? .object : .list, position: position, length: count)
        }
    }

    @inline(__always)
    private func close(_ this: inout Container, _ depth: inout Int) {
        memory.write(this.token(position: count), at: this.token)
        depth &-= 1
        guard depth > 0 else { return }
        let outer = memory.token(this.outer)
        this = Container(
            token: this.outer, isObject: outer.kind == .object, outer: Int(outer.position), count: outer.length)
    }

    @inline(__always)
    mutating func add(_ kind: TapeToken.Kind, _ position: Int, _ length: Int, isMarked: Bool = false) {
        memory.write(TapeToken(kind, position: position, length: length, isMarked: isMarked), at: count)
        count &+= 1
    }

    @inline(__always)
    private mutating func word(_ kind: TapeToken.Kind, _ length: Int, isMarked: Bool = false) {
        add(kind, at, length, isMarked: isMarked)
        at &+= length
    }

    @inline(__always)
    private mutating func skipSpaces() {
        // Usually there is at most one.
        while memory.byte(at) <= 0x20 {
            switch memory.byte(at) {
            case 0x20, 0x0A, 0x0D, 0x09: at &+= 1
            default: return
            }
        }
    }

    @inline(__always)
    private mutating func key() -> Bool {
        guard memory.byte(at) == UInt8(ascii: "\""), string() else { return false }
        skipSpaces()
        guard memory.byte(at) == UInt8(ascii: ":") else { return false }
        at &+= 1
        return true
    }

    @inline(__always)
    private mutating func digits() -> Bool {
        let start = at
        while memory.byte(at) &- 0x30 < 10 { at &+= 1 }
        return at > start
    }

    @inline(__always)
    private mutating func number() -> Bool {
        let start = at
        var isDecimal = false
        if memory.byte(at) == UInt8(ascii: "-") { at &+= 1 }
        if memory.byte(at) == UInt8(ascii: "0") {
            at &+= 1
        } else {
            guard digits() else { return false }
        }
        if memory.byte(at) == UInt8(ascii: ".") {
            isDecimal = true
            at &+= 1
            guard digits() else { return false }
        }
        if memory.byte(at) | 0x20 == UInt8(ascii: "e") {
            isDecimal = true
            at &+= 1
            if memory.byte(at) == UInt8(ascii: "+") || memory.byte(at) == UInt8(ascii: "-") { at &+= 1 }
            guard digits() else { return false }
        }
        add(.number, start, at &- start, isMarked: isDecimal)
        return true
    }
}

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
            let quote = eight ^ (ones &* 0x22)
            let backslash = eight ^ (ones &* 0x5C)
            let found = ((quote &- ones) | (backslash &- ones) | (eight &- (ones &* 0x20)) | eight) & (ones &* 0x80)
            guard found == 0 else { return offset &+ found.trailingZeroBitCount >> 3 }
            offset &+= 8
        }
    }

    // The following methods take and return an offset: mutating `self` would keep it out of registers.

    /// Returns the offset of the closing quotation mark of a text that is not all plain ASCII, or nil if it is invalid.
    @inline(never)
    private func rest(_ start: Int) -> (end: Int, hasEscapes: Bool)? {
        var offset = start
        var hasEscapes = false
        while true {
            switch memory.byte(offset) {
            case UInt8(ascii: "\""): return (offset, hasEscapes)
            case UInt8(ascii: "\\"):
                guard let next = escape(offset) else { return nil }
                offset = next
                hasEscapes = true
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

/// Resolves the escapes in text that a scanner has validated.
enum TextEscapes {
    static func string(_ text: TextBytes) -> String {
        String(unsafeUninitializedCapacity: text.count) { result in
            // The result is never longer than the text with its escapes.
            var offset = 0
            var count = 0
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
