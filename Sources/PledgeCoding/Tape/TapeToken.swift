/// What a tape says of one value, in eight bytes.
@usableFromInline package struct TapeToken {
    /// What a value is.
    @usableFromInline package enum Kind: UInt8 {
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

    @inlinable static func word(_ kind: Kind, length: Int) -> UInt32 {
        UInt32(kind.rawValue) | UInt32(truncatingIfNeeded: length) << 4
    }

    @inlinable var kind: Kind { Kind(rawValue: UInt8(word & 15)) ?? .null }
    @inlinable var length: Int { Int(word >> 4) }
    @inlinable var isContainer: Bool { word & 15 >= Kind.array.rawValue }
}
