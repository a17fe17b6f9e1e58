import Foundation

/// A response, parsed independently, so that the server's own parser does not check itself.
package struct ResponseBytes {
    package let status: Int
    package let headers: [String: String]
    package let body: String

    /// Returns the first response in the bytes and its length, or `nil` if the response is still incomplete.
    static func parse(_ bytes: [UInt8], toHead: Bool) -> (ResponseBytes, length: Int)? {
        let end = Array("\r\n\r\n".utf8)
        guard let blank = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return nil }
        let lines = String(decoding: bytes[..<blank], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count > 1, let status = Int(words[1]) else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.components(separatedBy: ": ")
            headers[parts[0].lowercased()] = parts.dropFirst().joined(separator: ": ")
        }
        let length = toHead ? 0 : Int(headers["content-length"] ?? "0") ?? 0
        let start = blank + end.count
        guard bytes.count >= start + length else { return nil }
        let body = String(decoding: bytes[start..<start + length], as: UTF8.self)
        return (ResponseBytes(status: status, headers: headers, body: body), start + length)
    }
}
