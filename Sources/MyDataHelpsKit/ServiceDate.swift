import Foundation
import PledgeCoding

/// Dates as the service reads and writes them.
enum ServiceDate {
    /// In UTC with milliseconds: `2024-03-02T09:11:12.131Z`. The same wherever the device is.
    static func text(_ date: Date) -> String {
        // Rounded, because a date read from text lies a hair beside its millisecond.
        let seconds = min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799)
        let milliseconds = Int((seconds * 1000).rounded())
        let day = (milliseconds >= 0 ? milliseconds : milliseconds - 86_399_999) / 86_400_000
        let rest = milliseconds - day * 86_400_000
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60)
        let time = [hour, minute, second].map { padded($0, 2) }.joined(separator: ":")
        return "\(CalendarDay.text(day))T\(time).\(padded(rest % 1000, 3))Z"
    }

    /// Reads a moment with a zone. Without one it would be a different moment for every reader.
    static func parse(_ text: String) -> Date? { text.withBytes { parse($0) } }

    /// The same.
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
