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
