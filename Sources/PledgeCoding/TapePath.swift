extension JSONTape {
    /// The container of a value, and the value's position in it, counted from 0.
    struct Container {
        var index: Int32
        var ordinal: Int32
    }

    /// Determined for all values at once, the first time that a path is needed.
    private var allContainers: [Container] {
        lock.withLock {
            let found = containers ?? findContainers()
            containers = found
            return found
        }
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

    /// Returns the path from the outermost value to this one.
    func path(to index: Int) -> [any CodingKey] { path(to: index, most: .max) }

    /// Returns the path for an error, most of which are discarded unread by code that tries another type: for a deeply
    /// nested value, only the last keys, preceded by one that represents all others and resolves them when read.
    func shortPath(to index: Int) -> [any CodingKey] { path(to: index, most: 8) }

    private func path(to index: Int, most: Int) -> [any CodingKey] {
        let containers = allContainers
        var path: [any CodingKey] = []
        for index in sequence(first: index, next: { Int(containers[$0].index) }) {
            let container = containers[index]
            guard container.index >= 0 else { break }
            guard path.count < most else {
                path.append(TapeKey.above(self, index))
                break
            }
            let isMember = kind(at: Int(container.index)) == .object
            path.append(isMember ? TapeKey.member(self, index - 1) : .index(Int(container.ordinal)))
        }
        path.reverse()
        return path
    }
}

/// A key on the path to a value. Its text is created only on demand.
package enum TapeKey: CodingKey {
    case name(String)
    case index(Int)
    /// A name that is stored in a tape.
    case member(JSONTape, Int)
    /// All keys on the path to a value.
    case above(JSONTape, Int)

    package var stringValue: String {
        switch self {
        case .name(let name): name
        case .index(let index): "Index \(index)"
        case .member(let tape, let index): tape.text(at: index)
        case .above(let tape, let index): tape.path(to: index).map(\.stringValue).joined(separator: ".")
        }
    }

    package var intValue: Int? {
        if case .index(let index) = self { index } else { nil }
    }

    package init?(stringValue: String) { self = .name(stringValue) }
    package init?(intValue: Int) { self = .index(intValue) }
}

extension DecodingError {
    /// The same error with its complete path, for the caller.
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

/// The reason why a value could not be read: an index and a clause. The path and the message are created only on
/// demand, because most failures are never shown.
@usableFromInline package struct TapeFailure: Error {
    @usableFromInline package enum Clause: @unchecked Sendable {
        // The payloads are type names and static strings, which are immutable.

        /// The value is not of this type.
        case mismatch(any Any.Type)
        /// A member with this name is missing.
        case missing(StaticString)
        /// The value is a number that this type cannot represent.
        case unfit(any Any.Type)
        /// The value is not of the expected form, as described by the message.
        case corrupt(StaticString)
    }

    let index: Int
    let clause: Clause

    @usableFromInline init(_ index: Int, _ clause: Clause) {
        self.index = index
        self.clause = clause
    }
}

extension JSONTape {
    func error(_ failure: TapeFailure, at path: [any CodingKey]) -> DecodingError {
        func context(_ sentence: String) -> DecodingError.Context {
            .init(codingPath: path, debugDescription: sentence)
        }
        switch failure.clause {
        case .mismatch(let type):
            let kind = kind(at: failure.index)
            let context = context(sentence(kind, insteadOf: type))
            return kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
        case .missing(let name):
            let words = message(forMissing: name.description, in: failure.index)
            return .keyNotFound(TapeKey.name(name.description), context(words))
        case .unfit(let type): return .dataCorrupted(context("it is a number that \(type) cannot hold"))
        case .corrupt(let sentence): return .dataCorrupted(context(sentence.description))
        }
    }
}

extension JSONTape {
    /// The kind of a value and the type that was expected.
    struct Mismatch: Hashable {
        let kind: TapeToken.Kind
        let type: ObjectIdentifier
    }

    /// Returns a message that explains why a value is not of a type, without the value, which may be private. Messages
    /// are cached: there are few, and code that tries one type after another gets one for every value.
    func sentence(_ kind: TapeToken.Kind, insteadOf type: any Any.Type) -> String {
        let mismatch = Mismatch(kind: kind, type: ObjectIdentifier(type))
        return lock.withLock {
            let sentence = sentences[mismatch] ?? "it is \(kind.text) instead of \(type)"
            sentences[mismatch] = sentence
            return sentence
        }
    }
}

extension TapeToken.Kind {
    fileprivate var text: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .number: "a number"
        case .text: "text"
        case .list: "a list"
        case .object: "an object"
        }
    }
}
