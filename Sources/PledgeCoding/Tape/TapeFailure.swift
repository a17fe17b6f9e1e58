/// Why a value could not be read: a place and a clause. The path and the sentence are made when somebody is told, which
/// mostly nobody is.
@usableFromInline package struct TapeFailure: Error {
    @usableFromInline package enum Clause: @unchecked Sendable {
        // What it holds are names of types, which nobody can change.

        /// It is of another kind than this.
        case mismatch(any Any.Type)
        /// A member of this name is missing.
        case missing(StaticString)
        /// It is a number that this cannot hold.
        case unfit(any Any.Type)
        /// It is not written as it should be, in words.
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
            return .keyNotFound(TapeKey.name(name.description), context("\(name) is missing"))
        case .unfit(let type): return .dataCorrupted(context("it is a number that \(type) cannot hold"))
        case .corrupt(let sentence): return .dataCorrupted(context(sentence.description))
        }
    }
}

extension JSONTape {
    /// What is somewhere, and what should have been.
    struct Mismatch: Hashable {
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

extension TapeToken.Kind {
    fileprivate var words: String {
        switch self {
        case .null: "null"
        case .true, .false: "a truth value"
        case .integer, .decimal: "a number"
        case .string, .escapedString: "text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
