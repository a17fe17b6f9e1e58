import Foundation

/// The bytes of some JSON and the tokens over them: the only type that accesses memory without an array's checks.
@usableFromInline package struct TapeMemory: @unchecked Sendable {
    // With arrays, decoding spent half of its time on bounds checks and reference counting. Why this is safe without
    // them:
    // - Only a scanner writes, and only before any other code has the tape: from then on nothing here changes, which is
    //   also why threads may share it.
    // - The bytes are followed by zeros. A zero byte is never valid in JSON, so the scanner, which examines each byte
    //   in turn, stops at the first; code that looks further ahead examines at most `margin` bytes.
    // - A value takes at least two bytes, including its comma or brackets; only those left open take one, and there are
    //   never more of these than the scanner's maximum depth. There is room for all their tokens.
    // - Offsets come from tokens, and tokens from a scanner.
    // - Code that holds a part of it also holds the tape, or runs inside `JSONTape.withRoot`, which does.
    // Test builds check all this.
    @usableFromInline let bytes: UnsafeMutablePointer<UInt8>
    @usableFromInline let tokens: UnsafeMutablePointer<TapeToken>
    @usableFromInline let size: Int
    private let room: Int
    #if DEBUG
        /// The number of times a token was read, which measures the work of decoding, for single-threaded tests.
        @usableFromInline let looks: UnsafeMutablePointer<Int>
    #endif

    private static let margin = 16

    /// Copies the bytes. The caller must call `free()`.
    init(_ body: Data, depth: Int) {
        size = body.count
        room = size / 2 + depth + 2
        bytes = .allocate(capacity: size + Self.margin)
        tokens = .allocate(capacity: room)
        body.copyBytes(to: bytes, count: size)
        (bytes + size).initialize(repeating: 0, count: Self.margin)
        #if DEBUG
            looks = .allocate(capacity: 1)
            looks.initialize(to: 0)
        #endif
    }

    func free() {
        bytes.deallocate()
        tokens.deallocate()
        #if DEBUG
            looks.deallocate()
        #endif
    }

    @inline(__always) func byte(_ offset: Int) -> UInt8 {
        assert(0..<(size + Self.margin) ~= offset)
        return bytes[offset]
    }

    @inline(__always) func four(_ offset: Int) -> UInt32 {
        assert(0...(size + Self.margin - 4) ~= offset)
        return UInt32(littleEndian: UnsafeRawPointer(bytes + offset).loadUnaligned(as: UInt32.self))
    }

    @inline(__always) func eight(_ offset: Int) -> UInt64 {
        assert(0...(size + Self.margin - 8) ~= offset)
        return UInt64(littleEndian: UnsafeRawPointer(bytes + offset).loadUnaligned(as: UInt64.self))
    }

    @inline(__always) func write(_ token: TapeToken, at index: Int) {
        assert(0..<room ~= index)
        tokens[index] = token
    }

    @inline(__always) @inlinable func token(_ index: Int) -> TapeToken {
        #if DEBUG
            looks.pointee += 1
        #endif
        return tokens[index]
    }

    /// Returns the index of the token after this one and all its contents.
    @inline(__always) @inlinable func next(after index: Int) -> Int {
        let token = token(index)
        return token.isContainer ? Int(token.position) : index + 1
    }

    /// Returns the text of a scalar as it is in the JSON, including any escapes.
    @inline(__always) @inlinable func text(_ token: TapeToken) -> TextBytes {
        assert(!token.isContainer && Int(token.position) + token.length <= size)
        return TextBytes(UnsafeBufferPointer(start: bytes + Int(token.position), count: token.length))
    }

    /// Returns the index of the value for a name in an object. If the name is repeated, the first value counts.
    @inline(__always) func value(named name: TextBytes, in object: Int) -> Int? {
        let wanted = TapeToken.word(.string, length: name.count)
        let end = next(after: object)
        var key = object + 1
        while key < end {
            let token = token(key)
            if token.word == wanted ? isSame(token, as: name) : isEscaped(token, name) { return key + 1 }
            key = next(after: key + 1)
        }
        return nil
    }

    private func isEscaped(_ key: TapeToken, _ name: TextBytes) -> Bool {
        key.kind == .escapedString && TextEscapes.string(text(key)).utf8.elementsEqual(name)
    }

    /// Whether a text that has the same length as another is equal to it, byte by byte.
    @inline(__always) @inlinable func isSame(_ token: TapeToken, as other: TextBytes) -> Bool {
        guard let start = other.bytes.baseAddress else { return true }
        let (text, other) = (UnsafeRawPointer(bytes + Int(token.position)), UnsafeRawPointer(start))
        let count = token.length
        var offset = 0
        while offset + 8 <= count {
            guard
                text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            else { return false }
            offset += 8
        }
        while offset < count {
            guard
                text.load(fromByteOffset: offset, as: UInt8.self) == other.load(fromByteOffset: offset, as: UInt8.self)
            else { return false }
            offset += 1
        }
        return true
    }
}

extension TapeMemory {
    /// The state shared by all values during one use of a tape.
    @usableFromInline package struct Reading {
        // Points into the frame of `JSONTape.withRoot`, which outlives the values; each would have to retain a class.
        @usableFromInline let state: UnsafeMutablePointer<State>

        @usableFromInline package struct State {
            @usableFromInline let memory: TapeMemory
            let tape: JSONTape
            var shared = SharedTexts()
            @usableFromInline var remark: StaticString?
            /// The optional values that could not be read.
            var notes: [TapeFailure] = []
        }

        init(_ state: UnsafeMutablePointer<State>) { self.state = state }

        @inline(__always) @inlinable var memory: TapeMemory { state.pointee.memory }
        var tape: JSONTape { state.pointee.tape }

        @usableFromInline func note(_ failure: TapeFailure) {
            if state.pointee.notes.count < UnreadableItem.mostReasons { state.pointee.notes.append(failure) }
        }

        /// Returns a text that occurs repeatedly, created only once.
        func shared(_ token: TapeToken) -> String { state.pointee.shared.text(token, state.pointee.memory) }
    }
}

/// The bytes of a text while a closure parses it: with an array's bounds checks, but without its reference.
@usableFromInline package struct TextBytes: RandomAccessCollection {
    @usableFromInline let bytes: UnsafeBufferPointer<UInt8>

    @inline(__always) @inlinable package init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    @inline(__always) @inlinable init(_ text: StaticString) {
        bytes = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    @inlinable package var startIndex: Int { 0 }
    @inlinable package var endIndex: Int { bytes.count }

    @inline(__always) @inlinable package subscript(offset: Int) -> UInt8 {
        precondition(UInt(bitPattern: offset) < UInt(bitPattern: bytes.count))
        return bytes[offset]
    }

    @inlinable package func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? { try body(bytes) }

    /// Returns the bytes from an offset up to the next occurrence of a byte, or to the end.
    func run(from start: Int, upTo byte: UInt8) -> Slice<UnsafeBufferPointer<UInt8>> {
        let rest = bytes[start...]
        guard let first = rest.first, let base = bytes.baseAddress, first != byte else { return bytes[start..<start] }
        guard let end = memchr(base + start, Int32(byte), rest.count) else { return rest }
        return bytes[start..<UnsafeRawPointer(base).distance(to: UnsafeRawPointer(end))]
    }

    /// The text, which is valid UTF-8.
    @usableFromInline package var string: String { String(decoding: bytes, as: UTF8.self) }
}

extension String {
    /// Calls the closure with the string's UTF-8 bytes.
    @usableFromInline package func withBytes<Result>(_ body: (TextBytes) -> Result) -> Result {
        var text = self
        return text.withUTF8 { body(TextBytes($0)) }
    }
}
