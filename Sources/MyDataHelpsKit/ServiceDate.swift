import Foundation
import PledgeCoding

/// Dates as the service reads and writes them.
enum ServiceDate {
    /// In UTC with milliseconds: `2024-03-02T09:11:12.131Z`. The same wherever the device is.
    static func text(_ date: Date) -> String { Timestamp.text(date, digits: 3) }

    /// Reads a moment with a zone. Without one it would be a different moment for every reader.
    static func parse(_ text: String) -> Date? { text.withBytes { parse($0) } }

    /// The date of such a text; nil for any other.
    static func parse(_ text: TextBytes) -> Date? { Timestamp.parse(text, needsOffset: true)?.date }
}

extension JSONDecoder {
    /// A decoder that reads the service's dates: with and without fractions of a second, and with any offset.
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
