/// A buffer of received bytes that are not yet consumed.
struct ReceivedBytes {
    private var bytes: [UInt8] = []
    /// The index of the first byte that is not consumed.
    private var start = 0
    /// The index up to which there is no line end after `start`, so that a slow line is not searched repeatedly.
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

    /// Returns the next line without its CRLF (or bare LF); `nil` until its end has been received.
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

    /// Returns at most `limit` of the available bytes.
    mutating func take(upTo limit: Int) -> ArraySlice<UInt8> {
        let end = min(bytes.count, start + limit)
        defer {
            start = end
            searched = max(searched, end)
        }
        return bytes[start..<end]
    }
}
