import Foundation

/// The bytes of a JSON text, and the tokens that describe its values. Only this type accesses memory without the checks
/// that an array makes.
@usableFromInline package struct TapeMemory: @unchecked Sendable {
    // With arrays, decoding spent half of its time on bounds checks and reference counting. Plain pointers are safe
    // here, and safe to share between threads, for these reasons:
    // - Only the scanner writes to the memory. It does so before any other code has the tape. After that, nothing in
    //   the memory changes.
    // - Reads stay within the bytes, because zeros follow the bytes. A zero byte is never valid in JSON. The scanner
    //   examines the bytes one after another, so it stops at the first zero. Code that looks further ahead examines at
    //   most `margin` bytes.
    // - There is room for all tokens. A value takes at least two bytes, including its comma or its brackets. Only an
    //   array or an object that is still open takes one byte. The scanner's maximum depth limits the number of these.
    // - All offsets come from tokens, and all tokens come from the scanner.
    // - The memory lives long enough. Code that uses the memory also holds the tape, or runs inside
    //   `JSONTape.withValue`, which holds the tape.
    //
    // In debug builds, assertions check the offsets.
    @usableFromInline let bytes: UnsafeMutablePointer<UInt8>
    @usableFromInline let tokens: UnsafeMutablePointer<TapeToken>
    @usableFromInline let size: Int
    private let room: Int
    #if DEBUG
        /// Where to count how often a token is read; nil if it isn't counted.
        @usableFromInline let looks: UnsafeMutablePointer<Int>?
    #endif

    private static let margin = 16

    /// Allocates the memory and copies the bytes. The caller must call `free()` when the memory is no longer needed.
    init(_ body: Data, depth: Int, countingIn looks: UnsafeMutablePointer<Int>?) {
        size = body.count
        room = size / 2 + min(size, depth) + 2
        bytes = .allocate(capacity: size + Self.margin)
        tokens = .allocate(capacity: room)
        body.copyBytes(to: bytes, count: size)
        (bytes + size).initialize(repeating: 0, count: Self.margin)
        #if DEBUG
            self.looks = looks
        #endif
    }

    func free() {
        bytes.deallocate()
        tokens.deallocate()
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
            looks?.pointee += 1
        #endif
        return tokens[index]
    }

    /// Returns the index of the first token after a value. For an array or object, that is the token after all its
    /// contents.
    @inline(__always) @inlinable func next(after index: Int) -> Int {
        let token = token(index)
        return token.isContainer ? Int(token.position) : index + 1
    }

    /// Returns the text of a scalar as it is written in the JSON. The escapes of a string are not resolved.
    @inline(__always) @inlinable func text(_ token: TapeToken) -> TextBytes {
        assert(!token.isContainer)
        return text(Int(token.position), token.length)
    }

    @inline(__always) @inlinable func text(_ start: Int, _ length: Int) -> TextBytes {
        assert(start + length <= size)
        return TextBytes(UnsafeBufferPointer(start: bytes + start, count: length))
    }

    /// Returns the text of a scalar. The escapes of a string are resolved.
    func string(_ token: TapeToken) -> String {
        token.hasEscapes ? TextEscapes.string(text(token)) : text(token).string
    }

    /// Returns the index of the value that an object has for a name. If the object repeats the name, the first value
    /// counts.
    @inline(__always) func value(named name: TextBytes, in object: Int) -> Int? {
        let wanted = TapeToken.word(.text, length: name.count)
        let end = next(after: object)
        var key = object + 1
        while key < end {
            let token = token(key)
            if token.word == wanted
                ? isSame(Int(token.position), as: name) : token.hasEscapes && string(token).utf8.elementsEqual(name)
            {
                return key + 1
            }
            key = next(after: key + 1)
        }
        return nil
    }

    /// Returns whether the bytes at an offset are those of another text. If the other text is a literal, its length is
    /// known at compile time, and the comparison becomes a few comparisons of words with constants.
    @inline(__always) @inlinable func isSame(_ start: Int, as other: TextBytes) -> Bool {
        other.bytes.baseAddress.map { memcmp(bytes + start, $0, other.count) == 0 } ?? true
    }
}

/// The bytes of a text, which exist only while a closure parses them. Unlike an array, this type retains nothing. Like
/// an array, it checks the bounds.
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

    /// Returns the three numbers in eight bytes such as `23:59:58` or `24-03-02`. Returns nil if the bytes don't have
    /// this form. Reading the eight bytes as one integer saves 3 % of the instructions for a page of device data.
    @inline(__always) func pairs(at offset: Int, separator: UInt8) -> (Int, Int, Int)? {
        guard offset + 8 <= count else { return nil }
        let text = UInt64(
            littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        // If the text has the right form, this turns each digit into its value, and each separator into 0.
        let values = text ^ (0x3030_0030_3000_3030 | UInt64(separator) &* 0x0100_0001_0000)
        // In the result, the highest bit of a byte is set if the text does not have the right form at that byte: if a
        // digit's value is above 9, or if a separator's value is not 0.
        guard ((values &+ 0x7676_7F76_767F_7676) | values) & 0x8080_8080_8080_8080 == 0 else { return nil }
        let pairs = values &* 10 &+ values >> 8
        return (Int(pairs & 0xFF), Int(pairs >> 24 & 0xFF), Int(pairs >> 48 & 0xFF))
    }

    /// Returns the bytes from an offset to the next occurrence of `byte`, without that occurrence. If there is none,
    /// returns all bytes from the offset.
    func run(from start: Int, upTo byte: UInt8) -> Slice<UnsafeBufferPointer<UInt8>> {
        let rest = bytes[start...]
        guard let base = bytes.baseAddress, let end = memchr(base + start, Int32(byte), rest.count) else { return rest }
        return bytes[start..<UnsafeRawPointer(base).distance(to: UnsafeRawPointer(end))]
    }

    /// The bytes as a string. They are always valid UTF-8.
    @usableFromInline package var string: String { String(decoding: bytes, as: UTF8.self) }
}

extension String {
    /// Calls the closure with the string's UTF-8 bytes.
    @usableFromInline package func withBytes<Result>(_ body: (TextBytes) -> Result) -> Result {
        var text = self
        return text.withUTF8 { body(TextBytes($0)) }
    }
}

/// A token, which describes one value on a tape in eight bytes.
@usableFromInline package struct TapeToken {
    /// The kind of JSON value that a token describes.
    @usableFromInline package enum Kind {
        case null, bool, number, text, list, object
    }

    /// For an array or object, the index of the token after all its contents. For any other value, the offset of the
    /// value's text. The text of a string begins after the quotation mark.
    @usableFromInline let position: UInt32
    /// The kind, the mark, and the length in one word, so that a single comparison covers all three. The kind is in the
    /// lowest three bits, and the mark is in the next bit. The other bits are the length in bytes or values.
    @usableFromInline let word: UInt32

    /// The smallest length that does not fit into a token. It is a number of bytes for a text, and a number of values
    /// for an array or object.
    static let limit = 1 << 28

    /// - Parameter isMarked: For a truth value, whether it is true. For a number, whether it has a fraction or an
    ///   exponent. For a text, whether it has escapes.
    @inlinable init(_ kind: Kind, position: Int, length: Int, isMarked: Bool = false) {
        self.position = UInt32(truncatingIfNeeded: position)
        word = Self.word(kind, length: length) | (isMarked ? 8 : 0)
    }

    @inline(__always) @inlinable static func word(_ kind: Kind, length: Int) -> UInt32 {
        // The numbers are spelled out here and in `kind`. The code that the compiler generates for raw values could not
        // be inlined into other modules.
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
    @inline(__always) @inlinable var isContainer: Bool { word & 7 >= 4 }
    /// Whether the token describes the value `true`.
    @inline(__always) @inlinable var isTrue: Bool { word & 15 == 9 }
    /// Whether the token describes a number with a fraction or an exponent.
    @inline(__always) @inlinable var isDecimal: Bool { word & 15 == 10 }
    /// Whether the token describes a text without escapes.
    @inline(__always) @inlinable var isPlainText: Bool { word & 15 == 3 }
    /// Whether the token describes a text with escapes.
    @inline(__always) @inlinable var hasEscapes: Bool { word & 15 == 11 }
}
