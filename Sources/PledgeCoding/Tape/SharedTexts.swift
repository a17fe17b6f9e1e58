/// A cache of longer strings that were seen before, found by their length and their ends. A miss costs only a copy, and
/// the cache never has more than a few entries.
struct SharedTexts {
    private static let size = 64
    private var slots: [(token: TapeToken, text: String)] = []

    /// - Parameter token: A string without escapes, of at least eight bytes.
    mutating func text(_ token: TapeToken, _ memory: TapeMemory) -> String {
        if slots.isEmpty {
            slots = Array(repeating: (TapeToken(.string, position: 0, length: 0), ""), count: Self.size)
        }
        let (head, tail) = (memory.eight(Int(token.position)), memory.eight(Int(token.position) + token.length - 8))
        let hash = (head ^ (tail &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(token.length)) &* 0xD6E8_FEB8_6659_FD93
        let slot = Int(hash >> 58)
        let bytes = memory.text(token)
        if slots[slot].token.word == token.word, memory.isSame(slots[slot].token, as: bytes) { return slots[slot].text }
        let text = bytes.string
        slots[slot] = (token, text)
        return text
    }
}
