/// Scans the bytes of a JSON text once, validates them, and writes a token for each value. The scanner uses unchecked
/// arithmetic, which cannot overflow, because all results are offsets into at most 2^28 bytes.
struct TapeScanner {
    /// The maximum depth to which arrays and objects may be nested. A value of this depth can be decoded on any thread.
    /// In a debug build, a type that contains itself takes 3.4 KiB of stack for each level, so it needs two thirds of
    /// the 512 KiB that the threads of Dispatch have.
    static let deepest = 100

    let memory: TapeMemory
    var at = 0
    private(set) var count = 0

    /// Scans a JSON text. Returns the number of tokens, and what is wrong with the text, if anything.
    static func scan(_ memory: TapeMemory) -> (count: Int, problem: JSONTape.Problem?) {
        var scanner = TapeScanner(memory: memory)
        let problem = scanner.values()
        return (scanner.count, problem)
    }

    /// Scans all values, and returns what is wrong with them, if anything. The method needs neither recursion nor a
    /// stack, because the state of each open array or object is kept in its own token.
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
                guard depth < Self.deepest else { return .deeper(than: Self.deepest) }
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
            // After a value comes the next value, or the end of the container, or the ends of several nested
            // containers.
            while true {
                skipSpaces()
                guard depth > 0 else {
                    guard at == memory.size else { return .notJSON }
                    // Adds a null that is not part of the JSON. A decoder uses it as the value of a missing member.
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

    /// An array or object that is still open. `outer` is the token of the array or object that contains it.
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
        // A simple loop is enough, because usually there is at most one space.
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
    /// Scans a string, including its closing quotation mark. Only the code for plain ASCII is inlined, which saves 5 %
    /// of the instructions for a page of averages.
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

    /// Returns the offset at which plain ASCII ends. It ends at a quotation mark, a backslash, a control character, or
    /// a non-ASCII byte.
    ///
    /// The method examines eight bytes at a time. In `found`, the highest bit of each byte is set if plain ASCII ends
    /// at that byte. Only the lowest of these bits is reliable: a subtraction that borrows may also set bits in the
    /// higher bytes.
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

    // The following methods take an offset and return one. They don't mutate `self`, because then the compiler could
    // not keep the scanner's properties in registers.

    /// Scans the rest of a string that is not all plain ASCII. Returns the offset of the closing quotation mark, or nil
    /// if the string is invalid.
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

    /// Scans an escape such as `\n` or `\u00E9`. Returns the offset after the escape, or nil if it is invalid.
    ///
    /// Half of a surrogate pair is valid. A service may cut off a text in the middle of an emoji, and that should cost
    /// one character, not the whole response.
    private func escape(_ offset: Int) -> Int? {
        guard memory.byte(offset + 1) == UInt8(ascii: "u") else {
            return TextEscapes.simple(memory.byte(offset + 1)) == nil ? nil : offset + 2
        }
        return TextEscapes.hexadecimal(memory.four(offset + 2)) == nil ? nil : offset + 6
    }

    /// Scans a character of two to four bytes. Returns the offset after the character, or nil if it is not valid UTF-8.
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
            // The capacity is always enough, because no escape is shorter than the character that it stands for.
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
                let character = character(in: text, at: &offset)
                // An unpaired surrogate is not a character, so the replacement character takes its place.
                for byte in UTF8.encode(character ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter {
                    result[count] = byte
                    count += 1
                }
            }
            return count
        }
    }

    /// Returns whether a text has half of a surrogate pair.
    static func hasHalfPair(_ text: TextBytes) -> Bool {
        var offset = 0
        while true {
            offset += text.run(from: offset, upTo: UInt8(ascii: "\\")).count
            guard offset < text.count else { return false }
            if text[offset + 1] != UInt8(ascii: "u") {
                offset += 2
            } else if character(in: text, at: &offset) == nil {
                return true
            }
        }
    }

    /// Returns the character that an escape such as `\u00E9`, or a surrogate pair of two such escapes, stands for.
    /// Returns nil for half of a pair. The offset moves behind what was read.
    @inline(__always)
    private static func character(in text: TextBytes, at offset: inout Int) -> Unicode.Scalar? {
        var code = unit(text, offset + 2)
        offset += 6
        if 0xD800..<0xDC00 ~= code, offset < text.count, text[offset] == UInt8(ascii: "\\"),
            text[offset + 1] == UInt8(ascii: "u"), case let second = unit(text, offset + 2),
            0xDC00..<0xE000 ~= second
        {
            code = 0x10000 + (code - 0xD800) << 10 + second - 0xDC00
            offset += 6
        }
        return Unicode.Scalar(code)
    }

    private static func unit(_ text: TextBytes, _ offset: Int) -> UInt32 {
        hexadecimal((0..<4).reduce(0) { $0 | UInt32(text[offset + $1]) << UInt32($1 * 8) }) ?? 0
    }

    /// Returns the byte that an escape of two characters stands for. The parameter is the second character, such as the
    /// `n` of `\n`. Returns nil if there is no such escape.
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

    /// Returns the value of four hexadecimal digits, or nil if one of the characters is not such a digit. The first
    /// digit is in the lowest byte.
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
