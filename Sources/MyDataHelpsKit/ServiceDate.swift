import Foundation
import PledgeCoding

enum ServiceDate {
    /// Returns the UTC date with milliseconds, or with more digits if it would otherwise be parsed as another date.
    static func exactText(_ date: Date) -> String {
        [3, 6].lazy.map { Timestamp.text(date, digits: $0) }.first { parse($0) == date }
            ?? Timestamp.text(date, digits: 9)
    }

    /// Returns the UTC date with milliseconds: `2024-03-02T09:11:12.131Z`.
    static func text(_ date: Date) -> String { Timestamp.text(date, digits: 3) }

    /// Parses a timestamp with a time zone; without one, it would depend on the reader's.
    static func parse(_ text: String) -> Date? { text.withBytes { parse($0) } }

    static func parse(_ text: TextBytes) -> Date? { Timestamp.parse(text, needsOffset: true)?.date }
}

extension KeyedEncodingContainer {
    // The code that the compiler synthesizes for this module's models calls these methods, so that dates have the
    // service's format, in UTC, whatever the encoder's strategy.

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
