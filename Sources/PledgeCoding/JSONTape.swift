import Dispatch
import Foundation

/// JSON as a flat list of tokens over its bytes, created in one pass: no value is copied and no number is parsed before
/// it is requested. Foundation's decoder spends most of its time creating a dictionary for each object; here, a name is
/// searched for among the few members that an object has.
package final class JSONTape: @unchecked Sendable {
    // The memory never changes after initialization, and what is computed later changes only under the lock.

    /// The reason why a tape could not be created.
    package enum Problem: Error, Equatable {
        /// The bytes are not JSON in UTF-8.
        case notJSON
        /// Arrays and objects are nested more deeply than this many levels.
        case deeper(than: Int)
        /// The body has more bytes than this.
        case longer(than: Int)
    }

    /// The form of the names and dates that a decoder looks for.
    package enum Style: Sendable {
        /// As `Codable` has them by default.
        case plain
        /// Names in snake case, and dates in ISO 8601.
        case snakeCase
    }

    let memory: TapeMemory
    let count: Int
    /// Whether arrays and objects are nested more deeply than they usually are: more than a hundred levels.
    package let isDeep: Bool
    let style: Style
    let lock = NSLock()
    var containers: [Container]?
    var sentences: [Mismatch: String] = [:]
    private var notes: [TapeFailure] = []

    /// The size of the largest body that can be read, in bytes.
    package static let longest = TapeToken.limit - 1

    /// Creates a tape from the body of a response.
    package init(_ body: Data, style: Style = .plain) throws(Problem) {
        self.style = style
        guard body.count <= Self.longest else { throw .longer(than: Self.longest) }
        memory = TapeMemory(body, depth: TapeScanner.deepest)
        let problem: Problem?
        (count, isDeep, problem) = TapeScanner.scan(memory)
        if let problem { throw problem }
    }

    deinit { memory.free() }

    func record(_ failures: [TapeFailure]) { lock.withLock { notes += failures } }

    /// The fields that count as missing because they could not be read: the index of the item, and the reason.
    package var unreadableFields: [UnreadableItem] {
        lock.withLock { notes }.map { failure in
            let path = path(to: failure.index)
            let depth = path.firstIndex { $0.intValue != nil }
            return UnreadableItem(
                index: depth.flatMap { path[$0].intValue } ?? 0,
                reason: UnreadableItem.reason(error(failure, at: path), below: depth.map { $0 + 1 } ?? 0), isKept: true)
        }
    }

    /// The index of a null that is not part of the JSON, used for missing values.
    var nowhere: Int { count - 1 }

    func kind(at index: Int) -> TapeToken.Kind { memory.token(index).kind }

    func text(at index: Int) -> String { memory.string(memory.token(index)) }

    /// Returns the index of the value for a name in an object. If the name is repeated, the first value counts.
    func value(named name: String, in object: Int) -> Int? {
        name.withBytes { memory.value(named: $0, in: object) }
    }

    /// Returns the names in an object, each with the index of its value.
    func members(of object: Int) -> [(name: String, value: Int)] {
        var key = object + 1
        return (0..<memory.token(object).length).map { _ in
            defer { key = memory.next(after: key + 1) }
            return (text(at: key), key + 1)
        }
    }
}

#if DEBUG
    extension JSONTape {
        /// The number of times a token was read, which measures the work of decoding, for tests.
        package var looks: Int { memory.looks.pointee }
    }
#endif

extension JSONTape {
    /// Returns what is missing in an object: the name that was looked for, and the names that it has instead, of which
    /// there may be any number, of any length.
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
    /// The size in bytes of a stack for all levels: a type that contains itself takes up to 4 KiB a level in a debug
    /// build. Only what is used takes memory.
    private static let deepStack = 16 << 20

    /// Runs work that may recurse once for each level of the JSON. The stack of any thread is large enough for what is
    /// not ``isDeep``; anything else is work for a thread of its own, for which this one waits.
    package func withStack<Value>(_ work: @escaping () throws -> Value) throws -> Value {
        guard isDeep else { return try work() }
        let job = Job(work)
        let thread = Thread { job.run() }
        thread.stackSize = Self.deepStack
        thread.start()
        return try job.wait()
    }

    private final class Job<Value>: @unchecked Sendable {
        // Only the thread touches the work, and only until it signals; only the caller touches the result, after that.
        private let work: () throws -> Value
        private let isDone = DispatchSemaphore(value: 0)
        private var result: Result<Value, any Error>?

        init(_ work: @escaping () throws -> Value) { self.work = work }

        func run() {
            result = Result(catching: work)
            isDone.signal()
        }

        func wait() throws -> Value {
            isDone.wait()
            guard let result else { preconditionFailure("the thread signals before it has a result") }
            return try result.get()
        }
    }
}

/// A cache of values that were read before from the same bytes, found by their length and their ends; it never has more
/// than a few entries. A page of device data takes a third fewer instructions for it, mostly for the objects, and one of
/// insights 6 % fewer for its short texts alone.
struct SharedValues<Value> {
    private var slots: [(start: Int, length: Int, value: Value?)] = []

    /// Returns the value of some bytes of a tape, and creates it if it is not in the cache.
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

/// The value of any other decoder, such as one for property lists or Foundation's for JSON, as JSON that can be read.
struct DecodedJSON: Decodable {
    let text: String

    /// Tries one kind after another, because decoders do not report them.
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
            // Before an `Int`, because Foundation decodes `1e-400` as the integer 0.
            double = try value.decode(Double.self)
        } catch {
            if case DecodingError.typeMismatch = error { throw error }
            // A number that no Swift type can hold is an error where it is read.
            return "1e999"
        }
        let digits = (try? value.decode(Decimal.self)).map { "\($0)" } ?? ""
        return Double(digits) == double ? digits : "\(double)"
    }
}
