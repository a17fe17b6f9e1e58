/// A cache of values that were read before from the same bytes, found by their length and their ends; it never has more
/// than a few entries. A page of device data takes a third fewer instructions for it, mostly for the objects, and one of
/// insights 6 % fewer for its short texts alone.
struct SharedValues<Value> {
    private var slots: [(start: Int, length: Int, value: Value?)] = []

    /// Returns the value of some bytes of a tape, and creates it if it is not in the cache.
    mutating func value(
        _ start: Int, _ length: Int, _ memory: TapeMemory, _ create: @autoclosure () throws(TapeFailure) -> Value
    ) throws(TapeFailure) -> Value {
        if slots.isEmpty { slots = Array(repeating: (0, 0, nil), count: 64) }
        let head = memory.eight(start) << UInt64(max(0, 64 - 8 * length))
        let tail = length < 8 ? head : memory.eight(start + length - 8)
        let hash = (head ^ (tail &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(length)) &* 0xD6E8_FEB8_6659_FD93
        let slot = Int(hash >> 58)
        if slots[slot].length == length, memory.isSame(slots[slot].start, as: memory.text(start, length)),
            let value = slots[slot].value
        {
            return value
        }
        let value = try create()
        slots[slot] = (start, length, value)
        return value
    }
}
