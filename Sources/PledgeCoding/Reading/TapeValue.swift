/// A value on a tape. It must not outlive ``JSONTape/withRoot(at:below:_:)``.
@usableFromInline package struct TapeValue {
    /// The kind of a value.
    @usableFromInline package enum Kind {
        case null, bool, number, text, list, object
    }

    /// A number: an integer if it is whole and fits in an `Int`, and the nearest double otherwise.
    @usableFromInline package enum Number {
        case whole(Int), decimal(Double)
    }

    @usableFromInline let reading: TapeMemory.Reading
    @usableFromInline let index: Int

    @inlinable init(_ reading: TapeMemory.Reading, _ index: Int) {
        self.reading = reading
        self.index = index
    }

    @inline(__always) @inlinable var memory: TapeMemory { reading.memory }
    @inline(__always) @inlinable var token: TapeToken { memory.token(index) }
    @inline(__always) @inlinable package var isNull: Bool { token.kind == .null }
    /// The number of values in an array or object.
    @inline(__always) @inlinable package var count: Int { token.length }

    @inline(__always) @inlinable package var kind: Kind {
        switch token.kind {
        case .null: .null
        case .true, .false: .bool
        case .integer, .decimal: .number
        case .string, .escapedString: .text
        case .array: .list
        case .object: .object
        }
    }

    @inlinable func failure(_ clause: TapeFailure.Clause) -> TapeFailure { TapeFailure(index, clause) }

    @usableFromInline package func text() throws(TapeFailure) -> String { try String.read(memory, at: index) }

    /// Reads text that occurs repeatedly: the string is created once and shared.
    @usableFromInline package func repeatedText() throws(TapeFailure) -> String {
        let token = token
        // Short strings are stored inline, and cost less to create than to look up.
        guard token.kind == .string, token.length > 15 else { return try text() }
        return reading.shared(token)
    }

    @usableFromInline package func int() throws(TapeFailure) -> Int { try Int.read(memory, at: index) }
    @usableFromInline package func double() throws(TapeFailure) -> Double { try Double.read(memory, at: index) }
    @usableFromInline package func bool() throws(TapeFailure) -> Bool { try Bool.read(memory, at: index) }
    /// Reads a number as text, exactly as it was sent.
    @usableFromInline package func digits() throws(TapeFailure) -> String { try memory.number(at: index) { $1.string } }

    /// Reads a number without losing whether it is whole.
    @usableFromInline package func number() throws(TapeFailure) -> Number {
        let token = token
        if token.kind == .integer, let number: Int = JSONNumber.integer(memory.text(token)) { return .whole(number) }
        let number = try double()
        // `4174.0` is a whole number; an integer that is too large for an `Int` becomes a decimal.
        return token.kind == .decimal ? Int(exactly: number).map { .whole($0) } ?? .decimal(number) : .decimal(number)
    }

    /// Parses text from its bytes; the sentence is for the error if `parse` returns nil.
    @inline(__always) @inlinable
    package func parsed<Result>(
        _ sentence: StaticString, _ parse: (TextBytes) -> Result?
    ) throws(TapeFailure) -> Result {
        let token = token
        let result = token.kind == .string ? parse(memory.text(token)) : try text().withBytes(parse)
        guard let result else { throw failure(.corrupt(sentence)) }
        return result
    }

    /// Returns the members of an object.
    @inline(__always) @inlinable package func fields() throws(TapeFailure) -> TapeFields {
        guard token.kind == .object else { throw failure(.mismatch([String: Any].self)) }
        return TapeFields(self)
    }

    /// Calls the closure with each value of an array and its index.
    @inline(__always) @inlinable
    package func forEach(_ body: (Int, TapeValue) throws(TapeFailure) -> Void) throws(TapeFailure) {
        guard token.kind == .array else { throw failure(.mismatch([Any].self)) }
        var index = index + 1
        for ordinal in 0..<count {
            try body(ordinal, TapeValue(reading, index))
            index = memory.next(after: index)
        }
    }
}

extension JSONTape {
    /// Calls the closure with the outermost value, or with another one. If the outermost value is itself part of a
    /// larger one, `path` leads to it. Throws a `DecodingError`.
    package func withRoot<Result>(
        at index: Int = 0, below path: [any CodingKey] = [], _ body: (TapeValue) throws(TapeFailure) -> Result
    ) throws -> Result {
        var state = TapeMemory.Reading.State(memory: memory, tape: self)
        defer { if !state.notes.isEmpty { note(state.notes) } }
        return try withUnsafeMutablePointer(to: &state) { state in
            do throws(TapeFailure) {
                return try body(TapeValue(TapeMemory.Reading(state), index))
            } catch {
                let inner = path.isEmpty ? shortPath(to: error.index) : self.path(to: error.index)
                throw self.error(error, at: path + inner)
            }
        }
    }
}
