import Foundation

/// A JSON text, stored as its bytes and a flat list of tokens. Each token describes one value and says where it is.
///
/// A tape is created in one pass over the bytes. This pass copies no value and parses no number. A value is copied or
/// parsed only when it is requested.
///
/// Foundation's decoder spends most of its time creating a dictionary for each object. A tape creates no dictionaries.
/// To find a member, it searches the names of the object, which are usually few.
package final class JSONTape: @unchecked Sendable {
    // Safe to share between threads: the memory never changes after initialization, and the properties that are
    // computed later change only while the lock is held.

    /// The reason why a tape could not be created.
    package enum Problem: Error, Equatable {
        /// The bytes are not JSON in UTF-8.
        case notJSON
        /// Arrays and objects are nested more deeply than this number of levels.
        case deeper(than: Int)
        /// The body has more than this number of bytes.
        case longer(than: Int)
    }

    /// The form in which a service writes names and dates.
    package enum Style: Sendable {
        /// Names are the same as in Swift, and dates are numbers, as `Codable` encodes them by default.
        case plain
        /// Names are in snake case, and dates are texts in ISO 8601.
        case snakeCase
    }

    let memory: TapeMemory
    let count: Int
    let style: Style
    let lock = NSLock()
    var containers: [Container]?
    /// The reasons why optional fields could not be read. Such a field is treated as missing.
    private var notes: [TapeFailure] = []

    /// The size of the largest body for which a tape can be created, in bytes.
    package static let longest = TapeToken.limit - 1

    /// Creates a tape from the body of a response.
    ///
    /// - Parameter looks: Where a debug build counts how often a token is read. Tests use this number to measure how
    ///   much work decoding takes. A tape that counts may be used by a single thread only.
    package init(
        _ body: Data, style: Style = .plain, countingIn looks: UnsafeMutablePointer<Int>? = nil
    ) throws(Problem) {
        self.style = style
        guard body.count <= Self.longest else { throw .longer(than: Self.longest) }
        memory = TapeMemory(body, depth: TapeScanner.deepest, countingIn: looks)
        let problem: Problem?
        (count, problem) = TapeScanner.scan(memory)
        if let problem { throw problem }
    }

    deinit { memory.free() }

    /// Records why an optional field could not be read. Only the first 100 reasons are kept, so that a list of bad
    /// items takes no longer to decode than a list of good ones.
    func record(_ failure: TapeFailure) {
        lock.withLock { if notes.count < UnreadableItem.mostReasons { notes.append(failure) } }
    }

    /// The optional fields that were treated as missing because they could not be read. Each entry has the reason, and
    /// the index of the list item that contains the field. The index is `Int.max` if the field is not in a list.
    package var unreadableFields: [UnreadableItem] {
        lock.withLock { notes }.map { failure in
            let path = path(to: failure.index)
            let depth = path.firstIndex { $0.intValue != nil }
            return UnreadableItem(
                index: depth.flatMap { path[$0].intValue } ?? .max,
                reason: UnreadableItem.reason(error(failure, at: path), below: depth.map { $0 + 1 } ?? 0), isKept: true)
        }
    }

    /// The index of a null at the end of the tape, which the scanner adds to the tokens of the JSON. A decoder uses it
    /// as the value of a member that is missing.
    var nowhere: Int { count - 1 }

    func kind(at index: Int) -> TapeToken.Kind { memory.token(index).kind }

    func text(at index: Int) -> String { memory.string(memory.token(index)) }

    /// Returns the index of the value that an object has for a name. If the object repeats the name, the first value
    /// counts.
    func value(named name: String, in object: Int) -> Int? {
        name.withBytes { memory.value(named: $0, in: object) }
    }

    /// Returns the names of an object's members, each with the index of the member's value.
    func members(of object: Int) -> [(name: String, value: Int)] {
        var key = object + 1
        return (0..<memory.token(object).length).map { _ in
            defer { key = memory.next(after: key + 1) }
            return (text(at: key), key + 1)
        }
    }
}

extension JSONTape {
    /// Returns an error message that says which name is missing in an object, and which names the object has instead.
    /// The message shows only the first few names and shortens long ones, because a service can send any number of
    /// names of any length.
    func message(forMissing name: String, in object: Int) -> String {
        let count = memory.token(object).length
        var shown = [String]()
        var length = 0
        var index = object + 1
        while shown.count < count, length < 120 {
            let found = text(at: index)
            shown.append("“\(found.unicodeScalars.count > 40 ? "\(String(found.unicodeScalars.prefix(40)))…" : found)”")
            length += shown[shown.count - 1].unicodeScalars.count + 2
            index = memory.next(after: index + 1)
        }
        if count > shown.count { shown.append("\(count - shown.count) more") }
        return "\(name) is missing, " + (shown.isEmpty ? "as the object is empty" : "only \(Self.list(shown)) found")
    }

    private static func list(_ names: [String]) -> String {
        let start = names.dropLast().joined(separator: ", ")
        return (start.isEmpty ? names[0] : "\(start) and \(names[names.count - 1])")
            + (names.count > 1 ? " were" : " was")
    }
}

extension JSONTape {
    /// Returns the path to an object that has a member whose name contains half of a surrogate pair. Returns nil if
    /// there is no such object.
    ///
    /// This package reads half of a pair as a replacement character. Foundation's decoder rejects such a name, or even
    /// stops the process: with Swift 6.0 on Linux, and before iOS 18.4 and macOS 15.4.
    package func pathOfObjectWithHalfPairInName() -> [any CodingKey]? {
        for object in 0..<nowhere where kind(at: object) == .object {
            var key = object + 1
            for _ in 0..<memory.token(object).length {
                let name = memory.token(key)
                if name.hasEscapes, TextEscapes.hasHalfPair(memory.text(name)) { return path(to: object) }
                key = memory.next(after: key + 1)
            }
        }
        return nil
    }
}

/// A cache of values that a response repeats, so that the same bytes are turned into a value only once.
///
/// The cache has 64 slots. The slot of a value depends on the number of its bytes, on the first eight of them, and on
/// the last eight. A new value replaces the previous one in its slot. All bytes are compared before a value is reused.
///
/// With the cache, a page of device data takes a third fewer instructions, mostly because objects are shared. A page of
/// insights takes 6 % fewer, only because short texts are shared.
struct SharedValues<Value> {
    private var slots: [(start: Int, length: Int, value: Value?)] = []

    /// Returns the value for some bytes of a tape. If the value is not in the cache, creates it and stores it there.
    mutating func value(
        _ start: Int, _ length: Int, _ memory: TapeMemory, _ create: @autoclosure () throws(TapeFailure) -> Value
    ) throws(TapeFailure) -> Value {
        if slots.isEmpty { slots = Array(repeating: (0, 0, nil), count: 64) }
        let head = memory.eight(start) << UInt64(max(0, 64 - 8 * length))
        let tail = length < 8 ? head : memory.eight(start + length - 8)
        let hash = (head ^ (tail &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(length)) &* 0xD6E8_FEB8_6659_FD93
        let slot = Int(hash >> 58)
        if slots[slot].length == length, memory.isSame(slots[slot].start, as: memory.text(start, length)),
            let value = slots[slot].value
        {
            return value
        }
        let value = try create()
        slots[slot] = (start, length, value)
        return value
    }
}

/// A value from a decoder other than this package's, such as Foundation's decoders for JSON and property lists. The
/// value is converted to JSON text, from which a tape can be created.
struct DecodedJSON: Decodable {
    let text: String

    /// Decodes an object, an array, or a scalar. The initializer tries these kinds one after another, because a decoder
    /// does not tell which kind of value it has.
    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: TapeKey.self) {
            let members = try object.allKeys.map { key in
                let value = try object.decodeNil(forKey: key) ? "null" : object.decode(Self.self, forKey: key).text
                return try "\(JSONEncoder.text(key.stringValue)):\(value)"
            }
            text = "{\(members.joined(separator: ","))}"
        } else if var list = try? decoder.unkeyedContainer() {
            var items: [String] = []
            while !list.isAtEnd { items.append(try list.decodeNil() ? "null" : list.decode(Self.self).text) }
            text = "[\(items.joined(separator: ","))]"
        } else {
            text = try Self.scalar(decoder.singleValueContainer())
        }
    }

    private static func scalar(_ value: any SingleValueDecodingContainer) throws -> String {
        if value.decodeNil() { return "null" }
        if let text = try? value.decode(String.self) { return try JSONEncoder.text(text) }
        if let flag = try? value.decode(Bool.self) { return "\(flag)" }
        let double: Double
        do {
            // The number is decoded as a `Double` and not as an `Int`, because Foundation would decode `1e-400` as the
            // integer 0.
            double = try value.decode(Double.self)
        } catch {
            if case DecodingError.typeMismatch = error { throw error }
            // No Swift type can represent the number. `1e999` is valid JSON, but reading it as a number throws an
            // error.
            return "1e999"
        }
        let digits = (try? value.decode(Decimal.self)).map { "\($0)" } ?? ""
        return Double(digits) == double ? digits : "\(double)"
    }
}
