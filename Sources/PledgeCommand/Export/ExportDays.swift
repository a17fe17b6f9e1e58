import ExistKit
import Foundation

/// The days that a run requests. They depend on when it began, so that a run resumed after midnight requests the same.
struct ExportDays: Sendable {
    /// The number of days, if the first is not given.
    var count = 7
    var first: ExistDay?
    /// The last day; nil for the day on which the run began, in each user's time zone.
    var last: ExistDay?
    var began: Date
    /// That day where the run was started, for accounts whose time zone is unknown.
    var today: ExistDay

    func last(in zone: TimeZone?) -> ExistDay {
        last ?? zone.map { ExistDay(began, in: $0) } ?? today
    }

    func first(before last: ExistDay) -> ExistDay {
        first.map { min($0, last) } ?? last.advanced(by: 1 - count)
    }
}
