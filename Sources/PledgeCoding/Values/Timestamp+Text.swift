import Foundation

extension Timestamp {
    /// Writes a moment in UTC: `2024-03-02T09:11:12.131Z`, or without what is behind the second. What lies beyond the years
    /// 1 to 9999 is written as their first or last moment.
    package static func text(_ date: Date, milliseconds: Bool = false) -> String {
        let seconds = min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799)
        // A date read from text lies a hair beside its millisecond.
        let count = milliseconds ? Int((seconds * 1000).rounded()) : Int(seconds.rounded(.down)) * 1000
        let day = (count >= 0 ? count : count - 86_399_999) / 86_400_000
        let rest = count - day * 86_400_000
        return CalendarDay.text(day)
            + String(unsafeUninitializedCapacity: 14) { text in
                text[0] = UInt8(ascii: "T")
                CalendarDay.write(rest / 3_600_000, 2, to: text, at: 1)
                text[3] = UInt8(ascii: ":")
                CalendarDay.write(rest / 60_000 % 60, 2, to: text, at: 4)
                text[6] = UInt8(ascii: ":")
                CalendarDay.write(rest / 1000 % 60, 2, to: text, at: 7)
                text[9] = UInt8(ascii: milliseconds ? "." : "Z")
                guard milliseconds else { return 10 }
                CalendarDay.write(rest % 1000, 3, to: text, at: 10)
                text[13] = UInt8(ascii: "Z")
                return 14
            }
    }
}
