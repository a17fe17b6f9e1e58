/// Bytes that have come in and are not yet used up.
struct ReceivedBytes {
    private var bytes: [UInt8] = []
    /// Everything before is used up.
    private var start = 0
    /// Everything from `start` to here holds no line end, so that a slow line is not searched again and again.
    private var searched = 0

    var count: Int {
        bytes.count - start
    }

    mutating func append(_ more: some Collection<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The next line without its CRLF (or bare LF); `nil` while its end has not come.
    mutating func takeLine() -> ArraySlice<UInt8>? {
        guard let end = bytes[max(start, searched)...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            return nil
        }
        let line = bytes[start..<end]
        start = end + 1
        searched = start
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    /// At most `limit` of the bytes at hand.
    mutating func take(upTo limit: Int) -> ArraySlice<UInt8> {
        let end = min(bytes.count, start + limit)
        defer {
            start = end
            searched = max(searched, end)
        }
        return bytes[start..<end]
    }
}
