/// A growing buffer of bytes, most of a batch's work. An array's own methods to grow call into another library for
/// every piece, at five times the cost for pieces of a few bytes.
struct ByteBuffer {
    /// The bytes, with spare room at the end.
    private var storage: [UInt8] = []
    private(set) var count = 0

    var bytes: [UInt8] { Array(storage[..<count]) }

    /// Removes and returns all bytes, without a copy.
    mutating func takeBytes() -> [UInt8] {
        storage.removeSubrange(count...)
        defer { self = ByteBuffer() }
        return storage
    }

    /// Appends the bytes that `write` stores at the given address, at most this many.
    ///
    /// - Parameter write: Returns the number of bytes stored.
    @inline(__always)
    mutating func append(atMost more: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        if storage.count - count < more { grow(more) }
        let start = count
        count += storage.withUnsafeMutableBufferPointer { all in
            write(UnsafeMutableBufferPointer(start: all.baseAddress.map { $0 + start }, count: more))
        }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        var larger = [UInt8](repeating: 0, count: max(count + more, 2 * storage.count, 512))
        larger.withUnsafeMutableBytes { room in storage.withUnsafeBytes { room.copyMemory(from: $0) } }
        storage = larger
    }

    @inline(__always)
    mutating func append(byte: UInt8) {
        append(atMost: 1) { room in
            room[0] = byte
            return 1
        }
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        append(atMost: bytes.count) { room in
            UnsafeMutableRawBufferPointer(room).copyMemory(from: UnsafeRawBufferPointer(bytes))
            return bytes.count
        }
    }

    @inline(__always)
    mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends `"name":`, after a comma or not, for a name that needs no escapes.
    @inline(__always)
    mutating func append(key name: StaticString, afterComma isNext: Bool) {
        let length = name.utf8CodeUnitCount
        append(atMost: length + 4) { room in
            let start = isNext ? 2 : 1
            // Without a comma, the quote takes its place.
            room[0] = UInt8(ascii: ",")
            room[start - 1] = UInt8(ascii: "\"")
            UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[start...])
                .copyMemory(from: UnsafeRawBufferPointer(start: name.utf8Start, count: length))
            room[start + length] = UInt8(ascii: "\"")
            room[start + length + 1] = UInt8(ascii: ":")
            return start + length + 2
        }
    }

    /// Appends a number digit by digit, at a quarter of the cost of `description`.
    mutating func append(_ number: Int) {
        append(atMost: 20) { room in
            var (rest, offset) = (number.magnitude, 20)
            repeat {
                offset -= 1
                room[offset] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 {
                offset -= 1
                room[offset] = UInt8(ascii: "-")
            }
            return room.moveUp(from: offset, to: 20)
        }
    }

    /// Appends a number as Swift prints it.
    mutating func append(_ number: Double) {
        // A whole number, as most are, costs a fifth this way. Minus zero is not the same as zero.
        if abs(number) < 1e15, let whole = Int(exactly: number), whole != 0 || number.sign == .plus {
            append(whole)
            append(".0")
        } else {
            append(plain: number.description)
        }
    }

    mutating func append(plain text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Moves some bytes to the beginning, and counts them.
    fileprivate func moveUp(from start: Int, to end: Int) -> Int {
        for offset in start..<end { self[offset - start] = self[offset] }
        return end - start
    }
}
