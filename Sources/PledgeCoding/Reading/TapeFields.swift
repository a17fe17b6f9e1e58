/// The members of an object by name, each of which is requested once: fastest in the order of the JSON, because the
/// name after the value found last is tried first.
@usableFromInline package struct TapeFields {
    @usableFromInline let object: TapeValue
    /// The index of the name after the last value that was found.
    @usableFromInline var next: Int
    /// Whether a name may have been skipped. The next one may then be a duplicate of it, and the first value counts.
    @usableFromInline var hasPassed = false

    @inlinable init(_ object: TapeValue) {
        self.object = object
        next = object.index + 1
    }

    /// Returns the value for a name, including null. If the name occurs more than once, the first value counts.
    @inline(__always) @inlinable
    package mutating func value(_ name: StaticString) -> TapeValue? {
        let (memory, name) = (object.memory, TextBytes(name))
        let wanted = TapeToken.word(.text, length: name.count)
        // The last member is followed by another token, or by the null at the end of the tape.
        let token = memory.token(next)
        guard !hasPassed, token.word == wanted, next < Int(object.token.position),
            memory.isSame(Int(token.position), as: name)
        else {
            return search(name)
        }
        let value = TapeValue(object.reading, next + 1)
        next = memory.next(after: next + 1)
        return value
    }

    @usableFromInline mutating func search(_ name: TextBytes) -> TapeValue? {
        guard let found = object.memory.value(named: name, in: object.index) else { return nil }
        hasPassed = true
        return TapeValue(object.reading, found)
    }

    /// Returns the value for a name if it is present and not null.
    @inline(__always) @inlinable
    package mutating func present(_ name: StaticString) -> TapeValue? {
        guard let value = value(name), !value.isNull else { return nil }
        return value
    }

    @inline(__always) @inlinable
    package mutating func required(_ name: StaticString) throws(TapeFailure) -> TapeValue {
        guard let value = value(name) else { throw missing(name) }
        return value
    }

    /// Returns the error for a missing name.
    @usableFromInline package func missing(_ name: StaticString) -> TapeFailure { object.failure(.missing(name)) }

    /// Calls the closure with each member. If a name occurs more than once, only the first counts.
    @usableFromInline
    package func forEach(_ body: (String, TapeValue) throws(TapeFailure) -> Void) throws(TapeFailure) {
        let (count, memory, tape) = (object.count, object.memory, object.reading.tape)
        var known: Set<ExactText> = []
        var key = object.index + 1
        for _ in 0..<count {
            let name = try TapeValue(object.reading, key).text()
            // Usually there are so few members that it is quicker to search for the first one of this name.
            let isFirst =
                count > 8
                ? known.insert(ExactText(name)).inserted : tape.value(named: name, in: object.index) == key + 1
            if isFirst { try body(streamSafe(name), TapeValue(object.reading, key + 1)) }
            key = memory.next(after: key + 1)
        }
    }
}
