import Foundation

/// A value on a tape. It may be used only inside the closure that is passed to ``JSONTape/withValue(at:below:_:)``.
@usableFromInline package struct TapeValue {
    /// A number: `whole` if the number is whole and fits in an `Int`, or otherwise the nearest double as `decimal`.
    @usableFromInline package enum Number {
        case whole(Int), decimal(Double)
    }

    /// The state that all values share while a closure of `JSONTape.withValue` runs.
    @usableFromInline package struct State {
        @usableFromInline let memory: TapeMemory
        let tape: JSONTape
        var texts = SharedValues<String>()
        var objects = SharedValues<[String: String]>()
        @usableFromInline var remark: StaticString?
    }

    // The pointer refers to a local variable of `JSONTape.withValue`, which exists longer than the values. If the state
    // were a class, each value would have to retain it.
    @usableFromInline let state: UnsafeMutablePointer<State>
    @usableFromInline let index: Int

    @inlinable init(_ state: UnsafeMutablePointer<State>, _ index: Int) {
        self.state = state
        self.index = index
    }

    @inline(__always) @inlinable var memory: TapeMemory { state.pointee.memory }
    var tape: JSONTape { state.pointee.tape }
    @inline(__always) @inlinable var token: TapeToken { memory.token(index) }
    @inline(__always) @inlinable package var kind: TapeToken.Kind { token.kind }
    @inline(__always) @inlinable package var isNull: Bool { kind == .null }
    /// The number of values in an array or object.
    @inline(__always) @inlinable package var count: Int { token.length }

    @inlinable package func failure(_ clause: TapeFailure.Clause) -> TapeFailure { TapeFailure(index, clause) }

    /// Reads a text. If the tape repeats the text, the string is usually created only once and shared.
    @usableFromInline package func text() throws(TapeFailure) -> String {
        let token = token
        guard token.isPlainText else { return try String.read(memory, at: index) }
        let start = Int(token.position)
        let length = token.length
        return try state.pointee.texts.value(start, length, memory, memory.text(token).string)
    }

    /// Reads an object that the tape is likely to repeat. The dictionary is usually created only once and shared.
    package func repeatedTexts(
        _ read: (TapeFields) throws(TapeFailure) -> [String: String]
    ) throws(TapeFailure) -> [String: String] {
        let fields = try fields()
        let first = memory.token(index + 1)
        let last = memory.token(memory.next(after: index) - 1)
        guard !last.isContainer else { return try read(fields) }
        // The cache compares the bytes from the first name to the last value. They are enough to distinguish objects,
        // because only the closing bracket follows them.
        let start = Int(first.position)
        let end = Int(last.position) + last.length
        return try state.pointee.objects.value(start, end - start, memory, try read(fields))
    }

    @usableFromInline package func int() throws(TapeFailure) -> Int { try Int.read(memory, at: index) }
    @usableFromInline package func double() throws(TapeFailure) -> Double { try Double.read(memory, at: index) }
    @usableFromInline package func bool() throws(TapeFailure) -> Bool { try Bool.read(memory, at: index) }
    /// Reads the text of a number, exactly as the service sent it.
    @usableFromInline package func digits() throws(TapeFailure) -> String { try memory.number(at: index) { $1.string } }

    /// Reads a number that may be whole or not.
    @usableFromInline package func number() throws(TapeFailure) -> Number {
        let token = token
        if token.kind == .number, !token.isDecimal, let number: Int = JSONNumber.integer(memory.text(token)) {
            return .whole(number)
        }
        let number = try double()
        // A number such as `4174.0` is whole. An integer that is too large for an `Int` becomes a `decimal`.
        if token.isDecimal, let whole: Int = JSONNumber.whole(memory.text(token), near: number) { return .whole(whole) }
        return .decimal(number)
    }

    /// Reads a text and parses its bytes. If `parse` returns nil, throws an error with the given sentence.
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

    /// Calls the closure with each value of an array and the value's position, counted from 0.
    @inline(__always) @inlinable
    package func forEach(_ body: (Int, TapeValue) throws(TapeFailure) -> Void) throws(TapeFailure) {
        guard kind == .list else { throw failure(.mismatch([Any].self)) }
        var index = index + 1
        for ordinal in 0..<count {
            try body(ordinal, TapeValue(state, index))
            index = memory.next(after: index)
        }
    }
}

extension JSONTape {
    /// Calls the closure with a value of the tape, which is the outermost one by default. Throws a `DecodingError`.
    ///
    /// - Parameter path: The path to the outermost value, if that is itself part of a larger value. Errors then have
    ///   the whole path.
    package func withValue<Result>(
        at index: Int = 0, below path: [any CodingKey] = [], _ body: (TapeValue) throws(TapeFailure) -> Result
    ) throws -> Result {
        var state = TapeValue.State(memory: memory, tape: self)
        return try withUnsafeMutablePointer(to: &state) { state in
            do throws(TapeFailure) {
                return try body(TapeValue(state, index))
            } catch {
                let inner = path.isEmpty ? shortPath(to: error.index) : self.path(to: error.index)
                throw self.error(error, at: path + inner)
            }
        }
    }
}

extension TapeValue {
    @inline(__always) @inlinable var isEmptyText: Bool { kind == .text && token.length == 0 }

    /// Returns the result of the closure. If the closure throws, records the reason and returns nil.
    @inline(__always) @inlinable
    package func recordingFailure<Result>(_ read: (TapeValue) throws(TapeFailure) -> Result) -> Result? {
        do throws(TapeFailure) {
            return try read(self)
        } catch {
            recordUnreadable(error)
            return nil
        }
    }

    /// Reads a text; returns nil if it is empty.
    package func nonEmptyText() throws(TapeFailure) -> String? {
        let text = try lenientText()
        return text.isEmpty ? nil : text
    }
}

// These methods accept a text in place of a number, and a number in place of a text.
extension TapeValue {
    /// Reads a Boolean value. Some responses encode it as a text, such as “yes” or “0”, or as the number 0 or 1. Any
    /// other text or number is an error, because its meaning would be a guess.
    @usableFromInline package func lenientBool() throws(TapeFailure) -> Bool {
        if case .text = kind {
            return try parsed("it is neither true nor false") { text in
                switch String(decoding: text, as: UTF8.self).lowercased() {
                case "true", "1", "yes": true
                case "false", "0", "no": false
                default: nil
                }
            }
        }
        if case .number = kind, case .whole(let number) = try number(), 0...1 ~= number { return number == 1 }
        return try bool()
    }

    /// Reads a text. If the value is a number, the text consists of the digits that the service sent.
    @inline(__always) @inlinable
    package func lenientText() throws(TapeFailure) -> String {
        if case .number = kind { try digits() } else { try text() }
    }

    /// Reads a whole number, which may be written as a text.
    @inline(__always) @inlinable
    package func lenientInt() throws(TapeFailure) -> Int {
        if case .text = kind, let number = Self.integer(try text()) { return number }
        return try int()
    }

    /// Reads a number, which may be written as a text.
    @inline(__always) @inlinable
    package func lenientDouble() throws(TapeFailure) -> Double {
        if case .text = kind, let number = Self.number(try text()) { return number }
        return try double()
    }

    // Parses the text of a whole number. This is a separate method, so that the usual case in `lenientInt` is small
    // enough to be inlined. Inlining saves 3 % of the instructions for a page of insights.
    @usableFromInline static func integer(_ text: String) -> Int? { Int(text) }

    /// Parses a number. Returns nil if the text is not a finite decimal number. Swift would also accept `0x10`, `inf`,
    /// and `nan`, but a service does not mean numbers by these.
    @usableFromInline static func number(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ $0 < UInt8(ascii: "A") || $0 | 0x20 == UInt8(ascii: "e") }) else { return nil }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
}

extension TapeValue {
    /// Decodes the items of a list one by one. An item that cannot be decoded does not affect the others.
    @usableFromInline
    package func items<Item: Decodable & Sendable>(of type: Item.Type) throws(TapeFailure) -> ItemList<Item> {
        func read<Model: Readable>(_ type: Model.Type) throws(TapeFailure) -> ItemList<Item>? {
            try Model.items(of: self) as? ItemList<Item>
        }
        if let readable = type as? any Readable.Type, let list = try read(readable) { return list }
        var result = ItemList<Item>(capacity: count)
        try forEach { (index, item) throws(TapeFailure) in
            do {
                result.items.append(try TapeDecoder(tape: tape, index: item.index).read(type))
            } catch {
                try record(index, in: &result.unreadable) {
                    UnreadableItem.reason(error, below: tape.path(to: item.index).count)
                }
            }
        }
        return result
    }

    /// Records that an item of this list cannot be read. Throws an error for the whole list if too many items cannot be
    /// read: a response of sixty thousand bytes can decompress into twenty million items, and each of them would be
    /// recorded.
    @usableFromInline
    package func record(
        _ index: Int, in unreadable: inout [UnreadableItem], _ reason: () -> String
    ) throws(TapeFailure) {
        guard unreadable.count < UnreadableItem.most else {
            throw failure(.corrupt("more than 10,000 of its items cannot be read"))
        }
        unreadable.add(index, reason)
    }

    /// Records why an optional value of this list or object could not be read.
    @usableFromInline func recordUnreadable(_ failure: TapeFailure) { tape.record(failure) }

    /// Returns the reason why this item of a list could not be decoded.
    @usableFromInline package func reason(_ failure: TapeFailure) -> String {
        let error = tape.error(failure, at: tape.path(to: failure.index))
        return UnreadableItem.reason(error, below: tape.path(to: index).count)
    }

    /// Stores a remark about a value that was read, but does not have the form that the service promises. The list that
    /// contains the value reports its first remark.
    @usableFromInline package func remark(_ text: StaticString) { state.pointee.remark = text }

    /// Returns the latest remark, and removes it.
    @inline(__always) @inlinable @discardableResult
    package func takeRemark() -> StaticString? { state.pointee.remark.take() }
}
