import Foundation
import PledgeCoding
import PledgeFiles

/// Reads results line by line, and a long line in parts, so that memory use does not depend on the longest one.
extension FileLines {
    /// The length of a line beyond which it is read in parts.
    static let longest = 1 << 20
    /// The length beyond which a part, which ends between two items, is not a result.
    private static let longestPart = 64 << 20

    static func results(_ file: any RawFile) -> FileLines { FileLines(file, limit: longest) }

    /// Calls the closure with the line, or with parts of it: objects that each have some of its members, or of a list's
    /// items. Throws ``JSONTape/Problem`` for a line that is not JSON.
    func forEachPart(of line: Line, _ body: (JSONTape) throws -> Void) throws {
        guard line.range.count > limit else { return try body(JSONTape(Data(line.bytes))) }
        var (offset, cut) = (line.range.lowerBound, LineCut())
        while offset < line.range.upperBound {
            let piece = try file.read(min(256 << 10, line.range.upperBound - offset), at: offset)
            guard !piece.isEmpty else { throw FileError("\(file.name) was truncated while it was read.") }
            for byte in piece {
                if let part = cut.take(byte) { try body(JSONTape(Data(part))) }
            }
            offset += piece.count
            guard cut.part.count <= Self.longestPart else {
                throw FileError("Line \(line.number) of \(file.name) has an item that is too long for a result.")
            }
        }
        try body(JSONTape(Data(cut.part)))
    }
}

/// Splits an object between two items of a list that is its member.
private struct LineCut {
    /// The bytes since the last split.
    private(set) var part: [UInt8] = []
    private var depth = 0
    private var (isText, isEscaped, isList) = (false, false, false)
    /// The range of the object's last text at the top level: the name of the list.
    private var name = 0..<0

    /// Returns the part that is complete before this byte, if it is long enough.
    mutating func take(_ byte: UInt8) -> [UInt8]? {
        if isText {
            isText = isEscaped || byte != UInt8(ascii: "\"")
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            if !isText, depth == 1 { name = name.lowerBound..<part.count + 1 }
        } else {
            switch byte {
            case UInt8(ascii: "\""):
                isText = true
                if depth == 1 { name = part.count..<part.count }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth == 2 { isList = byte == UInt8(ascii: "[") }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ",") where isList && depth == 2 && part.count >= FileLines.longest:
                let whole = part + "]}".utf8
                part = Array("{".utf8) + part[name] + ":[".utf8
                name = 1..<1 + name.count
                return whole
            default: break
            }
        }
        part.append(byte)
        return nil
    }
}
