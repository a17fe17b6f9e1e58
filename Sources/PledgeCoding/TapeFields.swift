/// The members of an object, for a reader that requests each of them once, by name.
///
/// Requesting the members in the order of the JSON is fastest. Each request first tries the member that follows the one
/// found last.
@usableFromInline package struct TapeFields {
    @usableFromInline let object: TapeValue
    /// The index of the name that is tried first. This name follows the last value that was found without a search.
    @usableFromInline var next: Int
    /// Whether a search has found a value elsewhere than at `next`. From then on, every request searches the whole
    /// object, so that the first of several members with the same name counts.
    @usableFromInline var hasPassed = false

    @inlinable init(_ object: TapeValue) {
        self.object = object
        next = object.index + 1
    }

    /// Returns the value for a name; nil if the name is missing. The value may be null. If the object repeats the name,
    /// the first value counts.
    @inline(__always) @inlinable
    package mutating func value(_ name: StaticString) -> TapeValue? {
        let (memory, name) = (object.memory, TextBytes(name))
        let wanted = TapeToken.word(.text, length: name.count)
        // Reading the token at `next` is safe even after the last member, because a null follows at the end of the
        // tape.
        let token = memory.token(next)
        guard !hasPassed, token.word == wanted, next < Int(object.token.position),
            memory.isSame(Int(token.position), as: name)
        else {
            return search(name)
        }
        let value = TapeValue(object.state, next + 1)
        next = memory.next(after: next + 1)
        return value
    }

    @usableFromInline mutating func search(_ name: TextBytes) -> TapeValue? {
        guard let found = object.memory.value(named: name, in: object.index) else { return nil }
        hasPassed = true
        return TapeValue(object.state, found)
    }

    /// Returns the value for a name; nil if the name is missing or its value is null.
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

    /// Calls the closure with each member. If the object repeats a name, only the first member with that name counts.
    @usableFromInline
    package func forEach(_ body: (String, TapeValue) throws(TapeFailure) -> Void) throws(TapeFailure) {
        let count = object.count
        let memory = object.memory
        let tape = object.tape
        var known: Set<ExactText> = []
        var key = object.index + 1
        for _ in 0..<count {
            let name = try TapeValue(object.state, key).text()
            // Usually, an object has few members. Then it is quicker to search the object for the first member with
            // this name than to keep a set of names.
            let isFirst =
                count > 8
                ? known.insert(ExactText(name)).inserted : tape.value(named: name, in: object.index) == key + 1
            if isFirst { try body(streamSafe(name), TapeValue(object.state, key + 1)) }
            key = memory.next(after: key + 1)
        }
    }
}

// These methods read an optional value. They return nil if the value is missing or null. If the value does not have the
// expected form, it counts as missing, and the reason is recorded. They accept a text in place of a number, and a number
// in place of a text.
extension TapeFields {
    @inline(__always) @inlinable
    package mutating func text(_ name: StaticString) -> String? {
        present(name)?.recordingFailure { (value) throws(TapeFailure) in try value.lenientText() }
    }

    /// Reads an optional text. An empty text counts as missing.
    package mutating func nonEmptyText(_ name: StaticString) -> String? {
        optional(name) { (value) throws(TapeFailure) in try value.lenientText() }
    }

    @inline(__always) @inlinable
    package mutating func int(_ name: StaticString) -> Int? {
        optional(name) { (value) throws(TapeFailure) in try value.lenientInt() }
    }

    @inline(__always) @inlinable
    package mutating func double(_ name: StaticString) -> Double? {
        optional(name) { (value) throws(TapeFailure) in try value.lenientDouble() }
    }

    @inline(__always) @inlinable
    package mutating func read<Model: Readable>(_ type: Model.Type, _ name: StaticString) -> Model? {
        present(name)?.recordingFailure { (value) throws(TapeFailure) in try Model(reading: value) }
    }

    /// Reads an optional value with the given closure. An empty text counts as missing.
    @inlinable
    package mutating func optional<Result>(
        _ name: StaticString, _ read: (TapeValue) throws(TapeFailure) -> Result
    ) -> Result? {
        guard let value = present(name), !value.isEmptyText else { return nil }
        return value.recordingFailure(read)
    }

    /// Reads an optional Boolean value, which some responses encode as a text or as a number. An empty text counts as
    /// missing.
    @inlinable
    package mutating func flag(_ name: StaticString) -> Bool? {
        optional(name) { (value) throws(TapeFailure) in try value.lenientBool() }
    }

    /// Reads an optional list. If the list is missing, the result is empty. Items that cannot be read are left out, and
    /// the reasons are recorded.
    @inline(__always) @inlinable
    package mutating func lenientList<Item>(
        _ name: StaticString, _ read: (TapeValue) throws(TapeFailure) -> Item
    ) -> [Item] {
        var items: [Item] = []
        guard let list = present(name) else { return items }
        // With the capacity reserved, the array is allocated once. Without it, the array would be reallocated each time
        // that its size doubles. Reserving saves 3 % of the instructions for a page of correlations.
        if list.kind == .list { items.reserveCapacity(list.count) }
        list.recordingFailure { (list) throws(TapeFailure) in
            try list.forEach { (_, item) throws(TapeFailure) in
                if let item = item.recordingFailure(read) { items.append(item) }
            }
        }
        return items
    }
}
