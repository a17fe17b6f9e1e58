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
        room = size / 2 + min(size, depth) + 2
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
        assert(!token.isContainer)
        return text(Int(token.position), token.length)
    }

    @inline(__always) @inlinable func text(_ start: Int, _ length: Int) -> TextBytes {
        assert(start + length <= size)
        return TextBytes(UnsafeBufferPointer(start: bytes + start, count: length))
    }

    /// Returns the text of a string, or of another scalar as it is.
    func string(_ token: TapeToken) -> String {
        token.kind == .text && token.isMarked ? TextEscapes.string(text(token)) : text(token).string
    }

    /// Returns the index of the value for a name in an object. If the name is repeated, the first value counts.
    @inline(__always) func value(named name: TextBytes, in object: Int) -> Int? {
        let wanted = TapeToken.word(.text, length: name.count)
        let end = next(after: object)
        var key = object + 1
        while key < end {
            let token = token(key)
            if token.word == wanted
                ? isSame(Int(token.position), as: name) : token.isMarked && string(token).utf8.elementsEqual(name)
            {
                return key + 1
            }
            key = next(after: key + 1)
        }
        return nil
    }

    /// Whether the bytes from an offset on are the same as those of another text. If the other is a literal, this is a
    /// comparison of words with constants.
    @inline(__always) @inlinable func isSame(_ start: Int, as other: TextBytes) -> Bool {
        other.bytes.baseAddress.map { memcmp(bytes + start, $0, other.count) == 0 } ?? true
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
            var texts = SharedValues<String>()
            var objects = SharedValues<[String: String]>()
            @usableFromInline var remark: StaticString?
            /// The optional values that could not be read.
            var notes: [TapeFailure] = []
        }

        init(_ state: UnsafeMutablePointer<State>) { self.state = state }

        @inline(__always) @inlinable var memory: TapeMemory { state.pointee.memory }
        var tape: JSONTape { state.pointee.tape }

        @usableFromInline func record(_ failure: TapeFailure) {
            if state.pointee.notes.count < UnreadableItem.mostReasons { state.pointee.notes.append(failure) }
        }
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
    @inlinable package var count: Int { bytes.count }

    @inline(__always) @inlinable package subscript(offset: Int) -> UInt8 {
        precondition(UInt(bitPattern: offset) < UInt(bitPattern: bytes.count))
        return bytes[offset]
    }

    @inlinable package func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? { try body(bytes) }

    /// Returns the three numbers of text such as `23:59:58` or `24-03-02`, or nil for any other. Reading all eight bytes
    /// at once saves 3 % of the instructions of a page of device data.
    @inline(__always) func pairs(at offset: Int, separator: UInt8) -> (Int, Int, Int)? {
        guard offset + 8 <= count else { return nil }
        let text = UInt64(
            littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        // Each digit becomes its value, and each separator becomes 0.
        let values = text ^ (0x3030_0030_3000_3030 | UInt64(separator) &* 0x0100_0001_0000)
        // The highest bit of a byte is set if the value is not below 10, or for a separator, not 0.
        guard ((values &+ 0x7676_7F76_767F_7676) | values) & 0x8080_8080_8080_8080 == 0 else { return nil }
        let pairs = values &* 10 &+ values >> 8
        return (Int(pairs & 0xFF), Int(pairs >> 24 & 0xFF), Int(pairs >> 48 & 0xFF))
    }

    /// Returns the bytes from an offset up to the next occurrence of a byte, or to the end.
    func run(from start: Int, upTo byte: UInt8) -> Slice<UnsafeBufferPointer<UInt8>> {
        let rest = bytes[start...]
        guard let base = bytes.baseAddress, let end = memchr(base + start, Int32(byte), rest.count) else { return rest }
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

/// The description of one value on a tape, in eight bytes.
@usableFromInline package struct TapeToken {
    /// The kind of a value.
    @usableFromInline package enum Kind {
        case null, bool, number, text, list, object
    }

    /// For arrays and objects, the index of the token after all their contents; for all other values, the offset at
    /// which the text begins, which for strings is after the quotation mark.
    @usableFromInline let position: UInt32
    /// The kind in the low three bits, then the mark, and above it the length in bytes or values: one comparison.
    @usableFromInline let word: UInt32

    /// The first number of bytes of text, or of values, that does not fit in a token.
    static let limit = 1 << 28

    /// - Parameter isMarked: Whether a truth value is true, a number has a fraction or an exponent, or text has escapes.
    @inlinable init(_ kind: Kind, position: Int, length: Int, isMarked: Bool = false) {
        self.position = UInt32(truncatingIfNeeded: position)
        word = Self.word(kind, length: length) | (isMarked ? 8 : 0)
    }

    @inline(__always) @inlinable static func word(_ kind: Kind, length: Int) -> UInt32 {
        // Spelled out, here and below, because a raw value's generated code cannot be inlined into other modules.
        let bits: UInt32 =
            switch kind {
            case .null: 0
            case .bool: 1
            case .number: 2
            case .text: 3
            case .list: 4
            case .object: 5
            }
        return bits | UInt32(truncatingIfNeeded: length) << 4
    }

    @inline(__always) @inlinable var kind: Kind {
        switch word & 7 {
        case 0: .null
        case 1: .bool
        case 2: .number
        case 3: .text
        case 4: .list
        default: .object
        }
    }

    @inline(__always) @inlinable var length: Int { Int(word >> 4) }
    @inline(__always) @inlinable var isMarked: Bool { word & 8 != 0 }
    @inline(__always) @inlinable var isContainer: Bool { word & 7 >= 4 }
    /// Whether it is text without escapes.
    @inline(__always) @inlinable var isPlainText: Bool { word & 15 == 3 }
}
