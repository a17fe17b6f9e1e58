/// The members of an object by name, each of which is requested once.
///
/// Requests are fastest in the order of the JSON, because the name after the value found last is tried first.
@usableFromInline package struct TapeFields {
    @usableFromInline let object: TapeValue
    /// The index of the name after the last value that was found.
    @usableFromInline var next: Int
    /// Whether a name was skipped. The next one may then be a duplicate of it, and the first value counts.
    @usableFromInline var hasPassed = false

    @inlinable init(_ object: TapeValue) {
        self.object = object
        next = object.index + 1
    }

    /// Returns the value for a name, including null. If the name occurs more than once, the first value counts.
    @inline(__always) @inlinable
    package mutating func value(_ name: StaticString) -> TapeValue? {
        let memory = object.memory
        let wanted = TapeToken.word(.string, length: name.utf8CodeUnitCount)
        // The last member is followed by another token, or by the null at the end of the tape.
        let token = memory.token(next)
        guard !hasPassed, token.word == wanted, next < Int(object.token.position), memory.isSame(token, as: name) else {
            return search(name, wanted)
        }
        let value = TapeValue(object.reading, next + 1)
        next = memory.next(after: next + 1)
        return value
    }

    @usableFromInline
    mutating func search(_ name: StaticString, _ wanted: UInt32) -> TapeValue? {
        let memory = object.memory
        let end = Int(object.token.position)
        var key = object.index + 1
        while key < end {
            let token = memory.token(key)
            let following = memory.next(after: key + 1)
            if token.word == wanted
                ? memory.isSame(token, as: name) : token.kind == .escapedString && isSame(token, name)
            {
                if key > next { hasPassed = true }
                next = max(next, following)
                return TapeValue(object.reading, key + 1)
            }
            key = following
        }
        return nil
    }

    /// Compares a name that contains escapes.
    @inline(never)
    private func isSame(_ token: TapeToken, _ name: StaticString) -> Bool {
        let text = TextEscapes.string(object.memory.text(token))
        return name.withUTF8Buffer { text.utf8.elementsEqual($0) }
    }

    /// Returns the value for a name if it is present and not null.
    @inline(__always) @inlinable
    package mutating func present(_ name: StaticString) -> TapeValue? {
        guard let value = value(name), !value.isNull else { return nil }
        return value
    }
}
