/// A value on a tape. It must not outlive ``JSONTape/withRoot(at:below:_:)``.
@usableFromInline package struct TapeValue {
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
    @inline(__always) @inlinable package var kind: TapeToken.Kind { token.kind }
    @inline(__always) @inlinable package var isNull: Bool { kind == .null }
    /// The number of values in an array or object.
    @inline(__always) @inlinable package var count: Int { token.length }

    @inlinable func failure(_ clause: TapeFailure.Clause) -> TapeFailure { TapeFailure(index, clause) }

    /// Reads text. If it occurs repeatedly, the string is created once and shared.
    @usableFromInline package func text() throws(TapeFailure) -> String {
        let token = token
        guard token.isPlainText else { return try String.read(memory, at: index) }
        let (start, length) = (Int(token.position), token.length)
        return try reading.state.pointee.texts.value(start, length, memory, memory.text(token).string)
    }

    /// Reads an object that occurs repeatedly: the dictionary is created once and shared.
    package func repeatedTexts(
        _ read: (TapeFields) throws(TapeFailure) -> [String: String]
    ) throws(TapeFailure) -> [String: String] {
        let fields = try fields()
        let (first, last) = (memory.token(index + 1), memory.token(memory.next(after: index) - 1))
        guard !last.isContainer else { return try read(fields) }
        // From the first name to the last value, which only closing brackets follow.
        let (start, end) = (Int(first.position), Int(last.position) + last.length)
        return try reading.state.pointee.objects.value(start, end - start, memory, try read(fields))
    }

    @usableFromInline package func int() throws(TapeFailure) -> Int { try Int.read(memory, at: index) }
    @usableFromInline package func double() throws(TapeFailure) -> Double { try Double.read(memory, at: index) }
    @usableFromInline package func bool() throws(TapeFailure) -> Bool { try Bool.read(memory, at: index) }
    /// Reads a number as text, exactly as it was sent.
    @usableFromInline package func digits() throws(TapeFailure) -> String { try memory.number(at: index) { $1.string } }

    /// Reads a number without losing whether it is whole.
    @usableFromInline package func number() throws(TapeFailure) -> Number {
        let token = token
        if token.kind == .number, !token.isMarked, let number: Int = JSONNumber.integer(memory.text(token)) {
            return .whole(number)
        }
        let number = try double()
        // `4174.0` is a whole number; an integer that is too large for an `Int` becomes a decimal.
        return token.isMarked ? Int(exactly: number).map { .whole($0) } ?? .decimal(number) : .decimal(number)
    }

    /// Parses text from its bytes; the sentence is for the error if `parse` returns nil.
    @inline(__always) @inlinable
    package func parsed<Result>(
        _ sentence: StaticString, _ parse: (TextBytes) -> Result?
    ) throws(TapeFailure) -> Result {
        let token = token
        let result = token.isPlainText ? parse(memory.text(token)) : try text().withBytes(parse)
        guard let result else { throw failure(.corrupt(sentence)) }
        return result
    }

    /// Returns the members of an object.
    @inline(__always) @inlinable package func fields() throws(TapeFailure) -> TapeFields {
        guard kind == .object else { throw failure(.mismatch([String: Any].self)) }
        return TapeFields(self)
    }

    /// Calls the closure with each value of an array and its index.
    @inline(__always) @inlinable
    package func forEach(_ body: (Int, TapeValue) throws(TapeFailure) -> Void) throws(TapeFailure) {
        guard kind == .list else { throw failure(.mismatch([Any].self)) }
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
        defer { if !state.notes.isEmpty { record(state.notes) } }
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
