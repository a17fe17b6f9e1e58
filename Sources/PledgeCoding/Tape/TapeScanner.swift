/// Goes over the bytes of JSON once, and notes what is where.
///
/// Its sums are not checked: they are places in at most 2^28 bytes.
struct TapeScanner {
    /// Deeper than anything sensible is, and not so deep that reading it needs more stack than a thread has.
    static let deepest = 100

    enum Failure { case notJSON, tooDeep }

    private let memory: TapeMemory
    private var at = 0
    private(set) var count = 0

    init(_ memory: TapeMemory) { self.memory = memory }

    /// Nil if all is well.
    mutating func scan() -> Failure? {
        // A copy, which can be kept in registers.
        var scanner = self
        defer { self = scanner }
        return scanner.values()
    }

    /// Without recursion, and without a stack: what has not ended keeps its state in its own token.
    @inline(__always)
    private mutating func values() -> Failure? {
        if memory.four(0) & 0xFF_FFFF == 0xBF_BBEF { at = 3 }
        var (depth, this) = (0, Container(token: 0, isObject: false, outer: 0))
        value: while true {
            skipSpaces()
            switch memory.byte(at) {
            case UInt8(ascii: "\""):
                guard string() else { return .notJSON }
            case let byte where byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["):
                guard depth < Self.deepest else { return .tooDeep }
                if depth > 0 { memory.write(this.token(place: this.outer), at: this.token) }
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
                word(.true, 4)
            case UInt8(ascii: "f"):
                guard memory.four(at + 1) == 0x6573_6C61 else { return .notJSON }
                word(.false, 5)
            default:
                guard number() else { return .notJSON }
            }
            // What comes behind a value: the next one, or the end of what it is in, perhaps of several.
            while true {
                skipSpaces()
                guard depth > 0 else {
                    guard at == memory.size else { return .notJSON }
                    // A null that is nowhere, for what is missing.
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

    /// A list or an object that has not ended, and which one is around it.
    private struct Container {
        let token: Int
        let isObject: Bool
        let outer: Int
        var count = 0

        var end: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }

        @inline(__always) func token(place: Int) -> TapeToken {
            TapeToken(isObject ? .object : .array, place: place, length: count)
        }
    }

    @inline(__always)
    private func close(_ this: inout Container, _ depth: inout Int) {
        memory.write(this.token(place: count), at: this.token)
        depth &-= 1
        guard depth > 0 else { return }
        let outer = memory.token(this.outer)
        this = Container(
            token: this.outer, isObject: outer.kind == .object, outer: Int(outer.place), count: outer.length)
    }

    @inline(__always)
    private mutating func add(_ kind: TapeToken.Kind, _ place: Int, _ length: Int) {
        memory.write(TapeToken(kind, place: place, length: length), at: count)
        count &+= 1
    }

    @inline(__always)
    private mutating func word(_ kind: TapeToken.Kind, _ length: Int) {
        add(kind, at, length)
        at &+= length
    }

    @inline(__always)
    private mutating func skipSpaces() {
        // Mostly there is none, or one.
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
        var kind = TapeToken.Kind.integer
        if memory.byte(at) == UInt8(ascii: "-") { at &+= 1 }
        if memory.byte(at) == UInt8(ascii: "0") {
            at &+= 1
        } else {
            guard digits() else { return false }
        }
        if memory.byte(at) == UInt8(ascii: ".") {
            kind = .decimal
            at &+= 1
            guard digits() else { return false }
        }
        if memory.byte(at) | 0x20 == UInt8(ascii: "e") {
            kind = .decimal
            at &+= 1
            if memory.byte(at) == UInt8(ascii: "+") || memory.byte(at) == UInt8(ascii: "-") { at &+= 1 }
            guard digits() else { return false }
        }
        add(kind, start, at &- start)
        return true
    }

    /// From the quote to behind the other one.
    @inline(__always)
    private mutating func string() -> Bool {
        at &+= 1
        let start = at
        while true {
            at = plain(from: at)
            switch memory.byte(at) {
            case UInt8(ascii: "\""):
                add(.string, start, at &- start)
                at &+= 1
                return true
            case 0x80...:
                guard let next = character(at) else { return false }
                at = next
            default:
                guard let end = endOfEscaped(at) else { return false }
                add(.escapedString, start, end &- start)
                at = end + 1
                return true
            }
        }
    }

    /// Where what is plain ASCII ends: the first quote, backslash, control character or byte of a longer character.
    ///
    /// Eight bytes at a time: the highest bit of each is set where it is one of these. A borrow sets it in bytes above,
    /// too, so that only the first counts.
    @inline(__always)
    private func plain(from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var place = start
        while true {
            let eight = memory.eight(place)
            let (quote, backslash) = (eight ^ (ones &* 0x22), eight ^ (ones &* 0x5C))
            let found = ((quote &- ones) | (backslash &- ones) | (eight &- (ones &* 0x20)) | eight) & (ones &* 0x80)
            guard found == 0 else { return place &+ found.trailingZeroBitCount >> 3 }
            place &+= 8
        }
    }

    // What follows takes its place and returns the next: a change of `self` would keep that out of registers.

    /// The place of the quote at the end of a text with escapes; nil if there is something improper before.
    @inline(never)
    private func endOfEscaped(_ start: Int) -> Int? {
        var place = start
        while true {
            switch memory.byte(place) {
            case UInt8(ascii: "\""): return place
            case UInt8(ascii: "\\"):
                guard let next = escape(place) else { return nil }
                place = next
            case 0..<0x20: return nil
            case 0x20..<0x80: place = plain(from: place)
            default:
                guard let next = character(place) else { return nil }
                place = next
            }
        }
    }

    /// `\n`, `\u00E9`, or a pair of surrogates.
    private func escape(_ place: Int) -> Int? {
        guard memory.byte(place + 1) == UInt8(ascii: "u") else {
            return TextEscapes.simple(memory.byte(place + 1)) == nil ? nil : place + 2
        }
        guard let unit = TextEscapes.hexadecimal(memory.four(place + 2)) else { return nil }
        switch unit {
        case 0xD800..<0xDC00:
            guard memory.byte(place + 6) == UInt8(ascii: "\\"), memory.byte(place + 7) == UInt8(ascii: "u"),
                let second = TextEscapes.hexadecimal(memory.four(place + 8)), 0xDC00..<0xE000 ~= second
            else { return nil }
            return place + 12
        case 0xDC00..<0xE000: return nil
        default: return place + 6
        }
    }

    /// A character of two to four bytes, which have to be proper UTF-8.
    @inline(never)
    private func character(_ place: Int) -> Int? {
        let second: ClosedRange<UInt8>
        let length: Int
        switch memory.byte(place) {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard second ~= memory.byte(place + 1) else { return nil }
        for offset in stride(from: 2, to: length, by: 1) {
            guard 0x80...0xBF ~= memory.byte(place + offset) else { return nil }
        }
        return place + length
    }
}
