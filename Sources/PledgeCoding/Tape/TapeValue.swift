/// A value on a tape. It must not outlive ``JSONTape/withRoot(at:_:)``.
@usableFromInline package struct TapeValue {
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

    @inlinable func failure(_ clause: TapeFailure.Clause) -> TapeFailure { TapeFailure(index, clause) }

    @usableFromInline package func text() throws(TapeFailure) -> String { try String.read(memory, at: index) }

    @usableFromInline package func repeatedText() throws(TapeFailure) -> String {
        let token = token
        // Short strings are stored inline, and cost less to create than to look up.
        guard token.kind == .string, token.length > 15 else { return try text() }
        return reading.shared(token)
    }

    @usableFromInline package func int() throws(TapeFailure) -> Int { try Int.read(memory, at: index) }
    @usableFromInline package func double() throws(TapeFailure) -> Double { try Double.read(memory, at: index) }
    @usableFromInline package func bool() throws(TapeFailure) -> Bool { try Bool.read(memory, at: index) }
    @usableFromInline package func digits() throws(TapeFailure) -> String { try memory.number(at: index) { $1.string } }

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

    /// Returns the path from this value to one that it contains.
    func path(to inner: Int) -> [any CodingKey] {
        var (path, outer): ([any CodingKey], Int) = ([], index)
        while outer < inner {
            let isObject = memory.token(outer).kind == .object
            var (child, ordinal) = (outer + (isObject ? 2 : 1), 0)
            while memory.next(after: child) <= inner {
                child = memory.next(after: child) + (isObject ? 1 : 0)
                ordinal += 1
            }
            path.append(isObject ? TapeKey.name(reading.tape.text(at: child - 1)) : .index(ordinal))
            outer = child
        }
        return path
    }
}

extension JSONTape {
    /// Calls the closure with the outermost value, or with another one.
    ///
    /// - Throws: A `DecodingError`.
    package func withRoot<Result>(
        at index: Int = 0, _ body: (TapeValue) throws(TapeFailure) -> Result
    ) throws -> Result {
        var state = TapeMemory.Reading.State(memory: memory, tape: self)
        defer { if !state.notes.isEmpty { note(state.notes) } }
        return try withUnsafeMutablePointer(to: &state) { state in
            do throws(TapeFailure) {
                return try body(TapeValue(TapeMemory.Reading(state), index))
            } catch {
                throw self.error(error, at: shortPath(to: error.index))
            }
        }
    }
}
