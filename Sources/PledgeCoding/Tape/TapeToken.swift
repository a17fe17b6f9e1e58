/// What a tape says of one value, in eight bytes.
@usableFromInline package struct TapeToken {
    /// What a value is.
    @usableFromInline package enum Kind {
        case null, `true`, `false`, integer, decimal, string, escapedString, array, object
    }

    /// Of lists and objects the number of the token behind all they hold; of everything else where its text begins, of
    /// strings after the quote.
    @usableFromInline let place: UInt32
    /// The kind, and above its four bits the bytes of text or the number of values: one comparison for both.
    @usableFromInline let word: UInt32

    /// More bytes of text, or more values, than a token can tell.
    static let limit = 1 << 28

    @inlinable init(_ kind: Kind, place: Int, length: Int) {
        self.place = UInt32(truncatingIfNeeded: place)
        word = Self.word(kind, length: length)
    }

    @inline(__always) @inlinable static func word(_ kind: Kind, length: Int) -> UInt32 {
        // Spelt out, here and below, because a raw value's own code cannot be inlined into other modules.
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
