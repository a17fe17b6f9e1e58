/// A secret to search for, by the Knuth–Morris–Pratt algorithm: the time is linear in the length of any text.
struct Needle: Sendable {
    let bytes: [UInt8]
    /// For each prefix, the length of the longest proper prefix that is also its suffix.
    private let borders: [Int]

    /// Creates a needle; nil if there is nothing to search for.
    init?(_ text: String) {
        bytes = Reading(text).bytes
        guard !bytes.isEmpty else { return nil }
        var borders = [0]
        for index in bytes.indices.dropFirst() {
            var length = borders[index - 1]
            while length > 0, bytes[length] != bytes[index] { length = borders[length - 1] }
            borders.append(bytes[length] == bytes[index] ? length + 1 : 0)
        }
        self.borders = borders
    }

    /// A prefix of this length counts as a truncated secret: some services show only the first letters of a value.
    private static let telling = 16

    /// Returns the ranges of the secret or of a long prefix of it, including overlaps.
    func places(in text: [UInt8]) -> [Range<Int>] {
        var (places, length) = ([Range<Int>](), 0)
        func note(endingAt end: Int) {
            if length == bytes.count || length >= Self.telling { places.append(end - length..<end) }
        }
        for (index, byte) in text.enumerated() {
            if length > 0, length == bytes.count || bytes[length] != byte {
                note(endingAt: index)
                while length > 0, length == bytes.count || bytes[length] != byte { length = borders[length - 1] }
            }
            if bytes[length] == byte { length += 1 }
        }
        note(endingAt: text.count)
        return places
    }
}

/// The bytes of a text as read, and the range of the text that each represents.
struct Reading {
    private(set) var bytes: [UInt8] = []
    private(set) var source: [Range<Int>] = []

    /// Reads a text as written, without invisible characters: a secret with one inside prints like one without.
    init(_ text: String) {
        var offset = 0
        for scalar in text.unicodeScalars {
            let next = offset + scalar.utf8.count
            if !scalar.isInvisible { for byte in scalar.utf8 { add(byte, offset..<next) } }
            offset = next
        }
    }

    private init() {}

    /// Appends a byte in lowercase, as host names are returned in lowercase.
    private mutating func add(_ byte: UInt8, _ place: Range<Int>) {
        bytes.append(0x41...0x5A ~= byte ? byte | 0x20 : byte)
        source.append(place)
    }

    /// Returns the range of the text that a range of the bytes represents.
    func written(_ place: Range<Int>) -> Range<Int> {
        source[place.lowerBound].lowerBound..<source[place.upperBound - 1].upperBound
    }

    /// Returns the text with `%2F`, `\/`, `\u002f`, and `&#47;` unescaped; nil if nothing is escaped.
    func unescaped() -> Reading? {
        var plain = Reading()
        var index = 0
        while index < bytes.count {
            let (text, length) = escape(at: index) ?? ([bytes[index]], 1)
            let place = source[index].lowerBound..<source[index + length - 1].upperBound
            for byte in text { plain.add(byte, place) }
            index += length
        }
        return plain.bytes.count < bytes.count ? plain : nil
    }

    private func escape(at index: Int) -> (text: [UInt8], length: Int)? {
        if bytes[index] == UInt8(ascii: "%") {
            return number(at: index + 1, digits: 2).map { ([UInt8($0)], 3) }
        }
        if bytes[index] == UInt8(ascii: "&") { return entity(at: index) }
        guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else { return nil }
        switch bytes[index + 1] {
        case UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: "\\"): return ([bytes[index + 1]], 2)
        case UInt8(ascii: "u"):
            return number(at: index + 2, digits: 4).flatMap { Unicode.Scalar($0) }.map { (Array($0.utf8), 6) }
        default: return nil
        }
    }

    private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]

    /// Returns the character of an HTML entity; the longest numeric entity has ten characters in all.
    private func entity(at index: Int) -> (text: [UInt8], length: Int)? {
        let rest = bytes[(index + 1)...].prefix(9)
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: rest[..<end], as: UTF8.self)
        var text = Self.entities[name]
        if name.hasPrefix("#") {
            let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
            text = number.flatMap(Unicode.Scalar.init).map { String($0) }
        }
        return text.map { (Array($0.utf8), end + 1 - index) }
    }

    private func number(at index: Int, digits: Int) -> UInt32? {
        guard index + digits <= bytes.count else { return nil }
        var number: UInt32 = 0
        for byte in bytes[index..<index + digits] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            number = number << 4 | UInt32(digit)
        }
        return number
    }
}

/// Removes pieces from a text.
enum Cut {
    /// - Parameter hidden: The ranges of bytes to remove, in any order; they may overlap.
    static func text(_ bytes: [UInt8], without hidden: [Range<Int>]) -> String {
        var (kept, end) = ([UInt8](), 0)
        for range in hidden.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.upperBound > end {
            // Adjacent ranges are one piece.
            if range.lowerBound > end || end == 0 { kept += bytes[end..<max(range.lowerBound, end)] + Array("…".utf8) }
            end = range.upperBound
        }
        return String(decoding: kept + bytes[end...], as: UTF8.self)
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control character, or one that only affects how others are displayed.
    var isInvisible: Bool {
        value < 0x80
            ? value < 0x20 || value == 0x7F
            : [.control, .format].contains(properties.generalCategory)
    }
}
