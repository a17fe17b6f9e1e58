import Foundation
import PledgeCoding

extension KeyedEncodingContainer {
    // The compiler synthesizes `Encodable` code for this module's models, and that code calls these methods. So every
    // encoder writes dates and URLs in the service's format.

    mutating func encode(_ date: Date, forKey key: Key) throws {
        try encode(WrittenTime(date: date, offset: 0), forKey: key)
    }

    mutating func encodeIfPresent(_ date: Date?, forKey key: Key) throws {
        try encodeIfPresent(date.map { WrittenTime(date: $0, offset: 0) }, forKey: key)
    }

    mutating func encodeIfPresent(_ url: URL?, forKey key: Key) throws {
        try encodeIfPresent(url?.absoluteString, forKey: key)
    }
}

/// A date, and the UTC offset in seconds with which it was written. The offset is nil if it was written without one.
struct WrittenTime: Sendable, Equatable, Encodable {
    var date: Date?
    var offset: Int?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let text = date.map { Timestamp.text($0, offset: offset ?? 0) }
        try container.encode(offset == nil ? text.map { String($0.dropLast()) } : text)
    }
}
