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
        var (depth, this) = (0, Container(token: 0, isObject: false, outer: 0))
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
