/// Finds the ends of a table's rows, byte by byte.
///
/// It only keeps a row's start and whether a quote is open, so that a byte costs the same wherever it is, however long
/// a row is and however many lines a cell has.
struct RowScan {
    enum Step {
        case inside
        /// The row has ended, with this start.
        case end(head: [UInt8])
        /// No row can contain this: the end of the file was lost in a power failure.
        case hole
    }

    /// Twice the longest account and a bit more: the account is at the start of its row.
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
