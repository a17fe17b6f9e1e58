import Foundation

/// JSON as one flat list of tokens over its bytes, made in one pass: nothing is copied, and no number is parsed, before
/// somebody asks for it.
///
/// Foundation's decoder spends most of its time on a dictionary for each object; here, a name is looked for among the
/// few that are there.
package final class JSONTape: @unchecked Sendable {
    // The memory is never written once it is here, and what is found out later only under the lock.

    /// Why there is no tape.
    package enum Problem: Error, Equatable {
        /// It is not JSON in UTF-8.
        case notJSON
        /// It goes deeper than this many lists and objects.
        case deeper(than: Int)
        /// It has more bytes than this.
        case longer(than: Int)
    }

    let memory: TapeMemory
    private let count: Int
    private let lock = NSLock()
    private var containers: [Container]?
    private var sentences: [Mismatch: String] = [:]

    /// Scans the bytes.
    package init(_ body: Data) throws(Problem) {
        guard body.count < TapeToken.limit else { throw .longer(than: TapeToken.limit - 1) }
        memory = TapeMemory(body, depth: TapeScanner.deepest)
        var scanner = TapeScanner(memory)
        let failure = scanner.scan()
        count = scanner.count
        switch failure {
        case .notJSON: throw .notJSON
        case .tooDeep: throw .deeper(than: TapeScanner.deepest)
        case nil: break
        }
    }

    deinit { memory.free() }

    /// A null that is nowhere, for what is missing.
    var nowhere: Int { count - 1 }

    func kind(at index: Int) -> TapeToken.Kind { memory.token(index).kind }

    func text(at index: Int) -> String {
        let token = memory.token(index)
        let text = memory.text(token)
        return token.kind == .escapedString ? TextEscapes.string(text) : text.string
    }

    /// The value under a name in an object; the first, if there are several.
    func value(named name: String, in object: Int) -> Int? {
        name.withBytes { name in
            let wanted = TapeToken.word(.string, length: name.count)
            var key = object + 1
            let end = memory.next(after: object)
            while key < end {
                let token = memory.token(key)
                if token.word == wanted ? memory.text(token).elementsEqual(name) : isEscaped(token, name) {
                    return key + 1
                }
                key = memory.next(after: key + 1)
            }
            return nil
        }
    }

    private func isEscaped(_ key: TapeToken, _ name: TextBytes) -> Bool {
        key.kind == .escapedString && TextEscapes.string(memory.text(key)).utf8.elementsEqual(name)
    }

    /// The names in an object, each with the place of its value.
    func members(of object: Int) -> [(name: String, value: Int)] {
        var key = object + 1
        return (0..<memory.token(object).length).map { _ in
            defer { key = memory.next(after: key + 1) }
            return (text(at: key), key + 1)
        }
    }
}

extension JSONTape {
    /// What a value is in, and as which of its values, from 0.
    private struct Container {
        var index: Int32
        var ordinal: Int32
    }

    /// Found for all values at once, the first time that somebody wants to know where one is.
    private var allContainers: [Container] {
        lock.lock()
        defer { lock.unlock() }
        let found = containers ?? findContainers()
        containers = found
        return found
    }

    private func findContainers() -> [Container] {
        var containers = [Container](repeating: Container(index: -1, ordinal: 0), count: count)
        for container in 0..<count where memory.token(container).isContainer {
            let token = memory.token(container)
            let step = token.kind == .object ? 1 : 0
            var index = container + 1
            for ordinal in 0..<token.length {
                containers[index + step] = Container(index: Int32(container), ordinal: Int32(ordinal))
                index = memory.next(after: index + step)
            }
        }
        return containers
    }

    /// How one gets to a value from the outermost.
    func path(to index: Int) -> [any CodingKey] { path(to: index, most: .max) }

    /// The same for an error, most of which are thrown away unread by whoever tries something else: of a deep value only
    /// the last steps, and before them one that stands for all others and finds them when it is read.
    func shortPath(to index: Int) -> [any CodingKey] { path(to: index, most: 8) }

    private func path(to index: Int, most: Int) -> [any CodingKey] {
        let containers = allContainers
        var path: [any CodingKey] = []
        path.reserveCapacity(most < .max ? most + 1 : 0)
        var index = index
        while true {
            let container = containers[index]
            guard container.index >= 0 else { break }
            guard path.count < most else {
                path.append(TapeKey.above(self, index))
                break
            }
            let isMember = kind(at: Int(container.index)) == .object
            path.append(isMember ? TapeKey.member(self, index - 1) : .index(Int(container.ordinal)))
            index = Int(container.index)
        }
        path.reverse()
        return path
    }
}

extension JSONTape {
    /// What is somewhere, and what should have been.
    private struct Mismatch: Hashable {
        let kind: TapeToken.Kind
        let type: ObjectIdentifier
    }

    /// Why a value is not of a type, without the value, which may be private.
    ///
    /// There are few of these sentences, and whoever tries one type after another gets them for every value.
    func sentence(_ kind: TapeToken.Kind, insteadOf type: any Any.Type) -> String {
        let mismatch = Mismatch(kind: kind, type: ObjectIdentifier(type))
        lock.lock()
        defer { lock.unlock() }
        if let sentence = sentences[mismatch] { return sentence }
        let sentence = "it is \(kind.words) instead of \(type)"
        sentences[mismatch] = sentence
        return sentence
    }
}

/// A step on the way to a value: without a text before somebody asks for it.
enum TapeKey: CodingKey {
    case name(String)
    case index(Int)
    /// A name that is in a tape.
    case member(JSONTape, Int)
    /// All steps to a value.
    case above(JSONTape, Int)

    var stringValue: String {
        switch self {
        case .name(let name): name
        case .index(let index): "Index \(index)"
        case .member(let tape, let index): tape.text(at: index)
        case .above(let tape, let index): tape.path(to: index).map(\.stringValue).joined(separator: ".")
        }
    }

    var intValue: Int? {
        if case .index(let index) = self { index } else { nil }
    }

    init?(stringValue: String) { self = .name(stringValue) }
    init?(intValue: Int) { self = .index(intValue) }
}

extension DecodingError {
    /// The same with all steps of its path, for whoever is told.
    var withWholePath: DecodingError {
        func whole(_ context: Context) -> Context {
            guard case .above(let tape, let index)? = context.codingPath.first as? TapeKey else { return context }
            return Context(
                codingPath: tape.path(to: index) + context.codingPath.dropFirst(),
                debugDescription: context.debugDescription, underlyingError: context.underlyingError)
        }
        switch self {
        case .typeMismatch(let type, let context): return .typeMismatch(type, whole(context))
        case .valueNotFound(let type, let context): return .valueNotFound(type, whole(context))
        case .keyNotFound(let key, let context): return .keyNotFound(key, whole(context))
        case .dataCorrupted(let context): return .dataCorrupted(whole(context))
        @unknown default: return self
        }
    }
}

#if DEBUG
    extension JSONTape {
        /// How often a token was looked at: the work that reading costs, for tests.
        package var looks: Int { memory.looks.pointee }
    }
#endif
