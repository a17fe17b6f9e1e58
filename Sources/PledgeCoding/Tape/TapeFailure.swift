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
            let words = words(forMissing: name.description, in: failure.index)
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
            let sentence = sentences[mismatch] ?? "it is \(kind.words) instead of \(type)"
            sentences[mismatch] = sentence
            return sentence
        }
    }
}

extension TapeToken.Kind {
    fileprivate var words: String {
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
