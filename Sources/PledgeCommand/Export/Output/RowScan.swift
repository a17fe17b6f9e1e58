/// Finds the ends of a table's rows, byte by byte.
///
/// Of a row it keeps the head and whether a quote is open, nothing that grows: so a byte costs the same wherever it
/// stands, however long a row is and however many lines a cell has.
struct RowScan {
    enum Step {
        case inside
        /// The row has ended, and began so.
        case end(head: [UInt8])
        /// No row of ours has this: the end of the file was lost with the power.
        case hole
    }

    /// Twice the longest account, and some more: whose row it is stands at its beginning.
    static let headLength = 4 * AccountLine.longestName

    private(set) var head: [UInt8] = []
    private var isQuoted = false

    mutating func take(_ byte: UInt8) -> Step {
        if head.count < Self.headLength { head.append(byte) }
        switch byte {
        case UInt8(ascii: "\""):
            isQuoted.toggle()
        case UInt8(ascii: "\n") where !isQuoted:
            defer { head.removeAll(keepingCapacity: true) }
            return .end(head: head)
        case 0 where !isQuoted:
            return .hole
        default: break
        }
        return .inside
    }
}
