import Foundation

final class JSONTape {
    struct Token {
        enum Kind: UInt8 {
            case null, `true`, `false`, integer, decimal, string, escapedString, array, object
        }

        var kind: Kind
        var start: UInt32
        var length: UInt32 = 0
        var next: UInt32 = 0
        var parent: UInt32
        var ordinal: UInt32
    }

    let bytes: [UInt8]
    let tokens: [Token]
    init(_ body: Data) throws {
        guard body.count < Int(Int32.max) else { throw NotJSON() }
        // A zero at the end, which JSON never has, spares a check for the end at every byte.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count + 1)
        bytes.append(contentsOf: body)
        bytes.append(0)
        let (tokens, _) = bytes.withUnsafeBufferPointer { pointer -> ([Token]?, Bool) in
            var scanner = JSONScanner(pointer)
            return (scanner.scan() ? scanner.tokens : nil, scanner.isTooDeep)
        }
        guard let tokens else {
            throw NotJSON()
        }
        self.bytes = bytes
        self.tokens = tokens
    }
    var nowhere: Int { tokens.count - 1 }
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
    func members(of object: Int) -> [(name: String, value: Int)] {
        var index = object + 1
        return (0..<tokens[object].length).map { _ in
            defer { index = Int(tokens[index + 1].next) }
            return (string(at: index), index + 1)
        }
    }
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
