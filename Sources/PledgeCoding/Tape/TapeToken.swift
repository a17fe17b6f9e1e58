/// The description of one value on a tape, in eight bytes.
@usableFromInline package struct TapeToken {
    /// The kind of a value.
    @usableFromInline package enum Kind {
        case null, `true`, `false`, integer, decimal, string, escapedString, array, object
    }

    /// For arrays and objects, the index of the token after all their contents; for all other values, the offset at
    /// which the text begins, which for strings is after the quotation mark.
    @usableFromInline let position: UInt32
    /// The kind in the low four bits, and above it the length in bytes or values: one comparison for both.
    @usableFromInline let word: UInt32

    /// The first number of bytes of text, or of values, that does not fit in a token.
    static let limit = 1 << 28

    @inlinable init(_ kind: Kind, position: Int, length: Int) {
        self.position = UInt32(truncatingIfNeeded: position)
        word = Self.word(kind, length: length)
    }

    @inline(__always) @inlinable static func word(_ kind: Kind, length: Int) -> UInt32 {
        // Spelled out, here and below, because a raw value's generated code cannot be inlined into other modules.
        let bits: UInt32 =
            switch kind {
            case .null: 0
            case .true: 1
            case .false: 2
            case .integer: 3
            case .decimal: 4
            case .string: 5
            case .escapedString: 6
            case .array: 7
            case .object: 8
            }
        return bits | UInt32(truncatingIfNeeded: length) << 4
    }

    @inline(__always) @inlinable var kind: Kind {
        switch word & 15 {
        case 0: .null
        case 1: .true
        case 2: .false
        case 3: .integer
        case 4: .decimal
        case 5: .string
        case 6: .escapedString
        case 7: .array
        default: .object
        }
    }

    @inline(__always) @inlinable var length: Int { Int(word >> 4) }
    @inline(__always) @inlinable var isContainer: Bool { word & 15 >= 7 }
}
