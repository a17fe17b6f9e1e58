import Foundation

/// JSON as one flat list of tokens over its bytes, made in one pass: nothing is copied, and no number is parsed, before
/// somebody asks for it.
///
/// Foundation's decoder spends most of its time on a dictionary for each object; here, a name is looked for among the
/// few that are there.
final class JSONTape {
    struct Token {
        enum Kind: UInt8 {
            case null, `true`, `false`, integer, decimal, string, escapedString, array, object
        }

        var kind: Kind
        /// Where its text begins, of strings after the quote.
        var start: UInt32
        /// Bytes of text; of arrays and objects the number of their values.
        var length: UInt32 = 0
        /// The token behind this one and all it holds.
        var next: UInt32 = 0
        /// The array or object it is in; itself for the outermost.
        var parent: UInt32
        /// Which value of it, from 0.
        var ordinal: UInt32
    }

    let bytes: [UInt8]
    let tokens: [Token]

    /// - Throws: ``UnreadableReply`` if it is not JSON in UTF-8, or goes deeper than anything sensible does.
    init(_ body: Data) throws(UnreadableReply) {
        guard body.count < Int(Int32.max) else { throw .notJSON }
        // A zero at the end, which JSON never has, spares a check for the end at every byte.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count + 1)
        bytes.append(contentsOf: body)
        bytes.append(0)
        let (tokens, isTooDeep) = bytes.withUnsafeBufferPointer { pointer -> ([Token]?, Bool) in
            var scanner = JSONScanner(pointer)
            return (scanner.scan() ? scanner.tokens : nil, scanner.isTooDeep)
        }
        guard let tokens else {
            let problem = "it goes deeper than \(JSONScanner.deepest) lists and objects"
            throw isTooDeep ? .unexpected(path: "", problem: problem) : .notJSON
        }
        self.bytes = bytes
        self.tokens = tokens
    }

    /// A null that is nowhere, for what is missing.
    var nowhere: Int { tokens.count - 1 }

    /// The value under a name in an object; the first, if there are several.
    func value(named name: String, in object: Int) -> Int? {
        var name = name
        return name.withUTF8 { name in
            bytes.withUnsafeBufferPointer { bytes in
                var index = object + 1
                for _ in 0..<tokens[object].length {
                    let key = tokens[index]
                    if key.kind == .string {
                        let isSame =
                            Int(key.length) == name.count
                            && (0..<name.count).allSatisfy { bytes[Int(key.start) + $0] == name[$0] }
                        if isSame { return index + 1 }
                    } else if string(at: index).utf8.elementsEqual(name) {
                        return index + 1
                    }
                    index = Int(tokens[index + 1].next)
                }
                return nil
            }
        }
    }

    /// The names in an object, each with the place of its value.
    func members(of object: Int) -> [(name: String, value: Int)] {
        var index = object + 1
        return (0..<tokens[object].length).map { _ in
            defer { index = Int(tokens[index + 1].next) }
            return (string(at: index), index + 1)
        }
    }

    /// How one gets to a value from the outermost.
    func path(to index: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var (index, token) = (index, tokens[index])
        while Int(token.parent) != index {
            let isMember = tokens[Int(token.parent)].kind == .object
            path.append(isMember ? TapeKey(string(at: index - 1)) : TapeKey(Int(token.ordinal)))
            index = Int(token.parent)
            token = tokens[index]
        }
        return path.reversed()
    }
}

/// A step on the way to a value.
struct TapeKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(_ index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { self.init(intValue) }
}
