import Foundation

/// A JSON document as a flat list of what is in it, in order: made in one pass, without an object for any value.
final class JSONTape: Sendable {
    enum Kind: UInt8 {
        case null, yes, no, number, text, array, object
    }

    struct Node {
        var kind: Kind
        /// Of a text: whether there are escapes in it.
        var hasEscapes = false
        /// Where it begins: for a text behind the quote.
        var start: Int32
        /// Where it ends: of a text or a number in the bytes, of an array or object in the list of nodes.
        var end: Int32
        /// How many items or members.
        var count: Int32 = 0
    }

    /// It is not JSON, or JSON of a kind that is left to Foundation.
    struct Unfit: Error {}

    let bytes: [UInt8]
    let nodes: [Node]

    private static let deepest = 500

    init(_ data: Data) throws(Unfit) {
        guard data.count < Int32.max else { throw Unfit() }
        bytes = [UInt8](data)
        var parser = Parser(count: bytes.count)
        try bytes.withUnsafeBufferPointer { buffer throws(Unfit) in try parser.run(buffer) }
        nodes = parser.nodes
    }

    /// Where the value after this one is.
    @inline(__always)
    func index(after index: Int) -> Int {
        switch nodes[index].kind {
        case .array, .object: Int(nodes[index].end)
        default: index + 1
        }
    }

    private struct Parser {
        var nodes: [Node] = []
        private var open: [Int] = []
        private var position = 0

        init(count: Int) {
            nodes.reserveCapacity(count / 8 + 8)
        }

        mutating func run(_ bytes: UnsafeBufferPointer<UInt8>) throws(Unfit) {
            try value(bytes)
            while let container = open.last {
                let isObject = nodes[container].kind == .object
                let byte = try next(bytes)
                if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    position += 1
                    nodes[container].end = Int32(nodes.count)
                    open.removeLast()
                    continue
                }
                if nodes[container].count > 0 {
                    guard byte == UInt8(ascii: ",") else { throw Unfit() }
                    position += 1
                    _ = try next(bytes)
                }
                nodes[container].count += 1
                if isObject {
                    guard bytes[position] == UInt8(ascii: "\"") else { throw Unfit() }
                    try text(bytes)
                    guard try next(bytes) == UInt8(ascii: ":") else { throw Unfit() }
                    position += 1
                }
                try value(bytes)
            }
            skipBlanks(bytes)
            guard position == bytes.count else { throw Unfit() }
        }

        private mutating func skipBlanks(_ bytes: UnsafeBufferPointer<UInt8>) {
            while position < bytes.count {
                switch bytes[position] {
                case 0x20, 0x0A, 0x0D, 0x09: position += 1
                default: return
                }
            }
        }

        private mutating func next(_ bytes: UnsafeBufferPointer<UInt8>) throws(Unfit) -> UInt8 {
            skipBlanks(bytes)
            guard position < bytes.count else { throw Unfit() }
            return bytes[position]
        }

        /// A value that is not made of others, or the opening of one that is.
        private mutating func value(_ bytes: UnsafeBufferPointer<UInt8>) throws(Unfit) {
            let byte = try next(bytes)
            switch byte {
            case UInt8(ascii: "\""): try text(bytes)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard open.count < JSONTape.deepest else { throw Unfit() }
                open.append(nodes.count)
                let kind = byte == UInt8(ascii: "{") ? Kind.object : .array
                nodes.append(Node(kind: kind, start: Int32(position), end: 0))
                position += 1
            case UInt8(ascii: "t"): try word("true", .yes, bytes)
            case UInt8(ascii: "f"): try word("false", .no, bytes)
            case UInt8(ascii: "n"): try word("null", .null, bytes)
            default: try number(bytes)
            }
        }

        private mutating func word(
            _ word: StaticString, _ kind: Kind, _ bytes: UnsafeBufferPointer<UInt8>
        ) throws(Unfit) {
            let end = position + word.utf8CodeUnitCount
            guard end <= bytes.count, bytes[position..<end].elementsEqual(word.bytes) else { throw Unfit() }
            nodes.append(Node(kind: kind, start: Int32(position), end: Int32(end)))
            position = end
        }

        private mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(Unfit) {
            let start = position + 1
            var (index, hasEscapes, isASCII) = (start, false, true)
            while index < bytes.count {
                let byte = bytes[index]
                // Letters above the quote and the backslash, which most are.
                if 0x5D..<0x80 ~= byte {
                    index += 1
                    continue
                }
                if byte == UInt8(ascii: "\"") {
                    let node = Node(kind: .text, hasEscapes: hasEscapes, start: Int32(start), end: Int32(index))
                    guard isASCII || bytes[start..<index].isValidUTF8 else { throw Unfit() }
                    nodes.append(node)
                    position = index + 1
                    return
                }
                if byte == UInt8(ascii: "\\") {
                    hasEscapes = true
                    index += 1
                } else if byte < 0x20 {
                    throw Unfit()
                } else if byte >= 0x80 {
                    isASCII = false
                }
                index += 1
            }
            throw Unfit()
        }

        private mutating func number(_ bytes: UnsafeBufferPointer<UInt8>) throws(Unfit) {
            let start = position
            func isDigit(_ index: Int) -> Bool { index < bytes.count && 0x30...0x39 ~= bytes[index] }
            if bytes[position] == UInt8(ascii: "-") { position += 1 }
            guard isDigit(position) else { throw Unfit() }
            let leadsWithZero = bytes[position] == 0x30
            position += 1
            guard !leadsWithZero || !isDigit(position) else { throw Unfit() }
            while isDigit(position) { position += 1 }
            if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
                position += 1
                guard isDigit(position) else { throw Unfit() }
                while isDigit(position) { position += 1 }
            }
            if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
                position += 1
                if position < bytes.count, "+-".utf8.contains(bytes[position]) { position += 1 }
                guard isDigit(position) else { throw Unfit() }
                while isDigit(position) { position += 1 }
            }
            nodes.append(Node(kind: .number, start: Int32(start), end: Int32(position)))
        }
    }
}

extension StaticString {
    fileprivate var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    fileprivate var isValidUTF8: Bool {
        var decoder = UTF8()
        var bytes = makeIterator()
        while true {
            switch decoder.decode(&bytes) {
            case .scalarValue: continue
            case .emptyInput: return true
            case .error: return false
            }
        }
    }
}
