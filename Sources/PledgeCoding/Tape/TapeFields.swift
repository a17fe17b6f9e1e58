/// The members of an object by name, each of which is asked for once.
///
/// They cost least in the order in which they stand there: the next one asked for is looked for first where the last one
/// ended.
@usableFromInline package struct TapeFields {
    @usableFromInline let object: TapeValue
    /// The name behind the last value that was found.
    @usableFromInline var next: Int
    /// Whether some name was passed over: then the next one may be there a second time, and the first counts.
    @usableFromInline var hasPassed = false

    @inlinable init(_ object: TapeValue) {
        self.object = object
        next = object.index + 1
    }

    /// The value under a name, null included; the first, if there are several.
    @inline(__always) @inlinable
    package mutating func value(_ name: StaticString) -> TapeValue? {
        let memory = object.memory
        let wanted = TapeToken.word(.string, length: name.utf8CodeUnitCount)
        // Behind the last member is another token, or the one that is nowhere.
        let token = memory.token(next)
        guard !hasPassed, token.word == wanted, next < Int(object.token.place), memory.isSame(token, as: name) else {
            return search(name, wanted)
        }
        let value = TapeValue(object.reading, next + 1)
        next = memory.next(after: next + 1)
        return value
    }

    @usableFromInline
    mutating func search(_ name: StaticString, _ wanted: UInt32) -> TapeValue? {
        let memory = object.memory
        let end = Int(object.token.place)
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

    /// Of a name with escapes.
    @inline(never)
    private func isSame(_ token: TapeToken, _ name: StaticString) -> Bool {
        let text = TextEscapes.string(object.memory.text(token))
        return name.withUTF8Buffer { text.utf8.elementsEqual($0) }
    }

    /// The value under a name, if it is there and not null.
    @inline(__always) @inlinable
    package mutating func present(_ name: StaticString) -> TapeValue? {
        guard let value = value(name), !value.isNull else { return nil }
        return value
    }
}
