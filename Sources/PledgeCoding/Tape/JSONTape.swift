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
