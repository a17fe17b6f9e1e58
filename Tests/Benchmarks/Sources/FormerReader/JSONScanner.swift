struct JSONScanner {
    private(set) var tokens: [JSONTape.Token] = []
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    static let deepest = 100
    private(set) var isTooDeep = false
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        tokens.reserveCapacity(bytes.count / 8)
    }
    mutating func scan() -> Bool {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        guard value(of: 0, 0, depth: 0) else { return false }
        skipBlanks()
        guard position == bytes.count - 1 else { return false }
        add(.null, from: position)
        let nowhere = tokens.count - 1
        tokens[nowhere].parent = UInt32(nowhere)
        return true
    }

    private mutating func skipBlanks() {
        while true {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    private mutating func value(of parent: UInt32, _ ordinal: UInt32, depth: Int) -> Bool {
        skipBlanks()
        switch bytes[position] {
        case UInt8(ascii: "\""): return string(of: parent, ordinal)
        case UInt8(ascii: "{"): return list(.object, of: parent, ordinal, depth)
        case UInt8(ascii: "["): return list(.array, of: parent, ordinal, depth)
        case UInt8(ascii: "n"): return word("null", .null, of: parent, ordinal)
        case UInt8(ascii: "t"): return word("true", .true, of: parent, ordinal)
        case UInt8(ascii: "f"): return word("false", .false, of: parent, ordinal)
        default: return number(of: parent, ordinal)
        }
    }

    private mutating func add(
        _ kind: JSONTape.Token.Kind, from start: Int, length: Int = 0, of parent: UInt32 = 0, _ ordinal: UInt32 = 0
    ) {
        let next = UInt32(tokens.count + 1)
        tokens.append(
            JSONTape.Token(
                kind: kind, start: UInt32(start), length: UInt32(length), next: next, parent: parent, ordinal: ordinal))
    }

    private mutating func word(
        _ text: StaticString, _ kind: JSONTape.Token.Kind, of parent: UInt32, _ ordinal: UInt32
    ) -> Bool {
        for offset in 0..<text.utf8CodeUnitCount {
            guard bytes[position] == text.utf8Start[offset] else { return false }
            position += 1
        }
        add(kind, from: position, of: parent, ordinal)
        return true
    }

    private mutating func list(
        _ kind: JSONTape.Token.Kind, of parent: UInt32, _ ordinal: UInt32, _ depth: Int
    ) -> Bool {
        guard depth < Self.deepest else {
            isTooDeep = true
            return false
        }
        let this = tokens.count
        add(kind, from: position, of: parent, ordinal)
        let end = kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")
        position += 1
        skipBlanks()
        var count: UInt32 = 0
        if bytes[position] == end {
            position += 1
        } else {
            items: while true {
                if kind == .object {
                    skipBlanks()
                    guard bytes[position] == UInt8(ascii: "\""), string(of: UInt32(this), count) else { return false }
                    skipBlanks()
                    guard bytes[position] == UInt8(ascii: ":") else { return false }
                    position += 1
                }
                guard value(of: UInt32(this), count, depth: depth + 1) else { return false }
                count += 1
                skipBlanks()
                switch bytes[position] {
                case UInt8(ascii: ","): position += 1
                case end:
                    position += 1
                    break items
                default: return false
                }
            }
        }
        tokens[this].length = count
        tokens[this].next = UInt32(tokens.count)
        return true
    }

    private mutating func digits() -> Bool {
        let start = position
        while UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[position] { position += 1 }
        return position > start
    }

    private mutating func number(of parent: UInt32, _ ordinal: UInt32) -> Bool {
        let start = position
        var kind = JSONTape.Token.Kind.integer
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        if bytes[position] == UInt8(ascii: "0") {
            position += 1
        } else {
            guard digits() else { return false }
        }
        if bytes[position] == UInt8(ascii: ".") {
            kind = .decimal
            position += 1
            guard digits() else { return false }
        }
        if bytes[position] | 0x20 == UInt8(ascii: "e") {
            kind = .decimal
            position += 1
            if bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") { position += 1 }
            guard digits() else { return false }
        }
        add(kind, from: start, length: position - start, of: parent, ordinal)
        return true
    }

    private mutating func string(of parent: UInt32, _ ordinal: UInt32) -> Bool {
        position += 1
        let start = position
        var kind = JSONTape.Token.Kind.string
        while true {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                add(kind, from: start, length: position - start, of: parent, ordinal)
                position += 1
                return true
            case UInt8(ascii: "\\"):
                kind = .escapedString
                guard escape() else { return false }
            case 0..<0x20: return false
            case 0x20..<0x80: position += 1
            default:
                guard character() else { return false }
            }
        }
    }
    private mutating func escape() -> Bool {
        switch bytes[position + 1] {
        case UInt8(ascii: "u"):
            guard let unit = hexadecimal(at: position + 2) else { return false }
            position += 6
            switch unit {
            case 0xD800..<0xDC00:
                guard bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u"),
                    let second = hexadecimal(at: position + 2), 0xDC00..<0xE000 ~= second
                else { return false }
                position += 6
                return true
            case 0xDC00..<0xE000: return false
            default: return true
            }
        case let byte:
            position += 2
            return JSONTape.simpleEscape(byte) != nil
        }
    }

    private func hexadecimal(at start: Int) -> UInt16? { JSONTape.hexadecimal(bytes, at: start) }
    private mutating func character() -> Bool {
        let second: ClosedRange<UInt8>
        let length: Int
        switch bytes[position] {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return false
        }
        guard second ~= bytes[position + 1] else { return false }
        // The zero at the end is no such byte, so that this never looks beyond it.
        for offset in stride(from: 2, to: length, by: 1) {
            guard 0x80...0xBF ~= bytes[position + offset] else { return false }
        }
        position += length
        return true
    }
}
