import Foundation
import PledgeCoding

/// Encodes and decodes dates in the service's format.
enum ServiceDate {
    /// Returns the date in UTC with milliseconds, and with more digits if it would not be parsed as the same date.
    static func exactText(_ date: Date) -> String {
        [3, 6].lazy.map { Timestamp.text(date, digits: $0) }.first { parse($0) == date }
            ?? Timestamp.text(date, digits: 9)
    }

    /// Returns the date in UTC with milliseconds: `2024-03-02T09:11:12.131Z`, regardless of the device's time zone.
    static func text(_ date: Date) -> String { Timestamp.text(date, digits: 3) }

    /// Parses a time stamp with a time zone. Without one, its meaning would depend on the reader's time zone.
    static func parse(_ text: String) -> Date? { text.withBytes { parse($0) } }

    /// Parses a time stamp with a time zone; nil for any other text.
    static func parse(_ text: TextBytes) -> Date? { Timestamp.parse(text, needsOffset: true)?.date }
}

extension KeyedEncodingContainer {
    // What the compiler synthesizes for this module's models calls these: dates are as the service writes them, whatever
    // the encoder's strategy, and in UTC.

    mutating func encode(_ date: Date, forKey key: Key) throws { try encode(ServiceDate.exactText(date), forKey: key) }

    mutating func encodeIfPresent(_ date: Date?, forKey key: Key) throws {
        try encodeIfPresent(date.map(ServiceDate.exactText), forKey: key)
    }

    mutating func encode(_ offset: Uncompared<Int?>, forKey key: Key) throws {}
}

extension JSONDecoder {
    /// A decoder for the service's dates, with or without fractional seconds, and with any UTC offset.
    public static var myDataHelpsDecoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = ServiceDate.parse(text) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "it is not a date and time with a zone")
            }
            return date
        }
        return decoder
    }
}
