import Foundation
import PledgeCoding

/// Days as results have them.
enum Moments {
    static let utc = TimeZone(secondsFromGMT: 0) ?? .current

    static func day(_ date: Date, in zone: TimeZone) -> String {
        let seconds = Int(date.timeIntervalSince1970.rounded(.down)) + zone.secondsFromGMT(for: date)
        return CalendarDay.text((seconds >= 0 ? seconds : seconds - 86_399) / 86_400)
    }
}
