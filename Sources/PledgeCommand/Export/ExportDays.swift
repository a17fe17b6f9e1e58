import ExistKit
import Foundation

/// The requested days. They depend on the start of the run, so that resuming after midnight requests the same.
struct ExportDays: Sendable {
    /// The number of days, used without a first day.
    var count: Int
    var first: ExistDay?
    /// The last day; nil for the day on which the run started, in each user's time zone.
    var last: ExistDay?
    var began: Date
    /// The day on which the run started, in the local time zone, for accounts whose time zone is unknown.
    var today: ExistDay

    func last(in zone: TimeZone?) -> ExistDay {
        last ?? zone.map { ExistDay(began, in: $0) } ?? today
    }

    func first(before last: ExistDay) -> ExistDay {
        first.map { min($0, last) } ?? last.advanced(by: 1 - count)
    }
}
