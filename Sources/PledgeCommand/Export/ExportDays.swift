import ExistKit
import Foundation

/// Which days a run asks for. They follow from when it began, so that one that is resumed after midnight asks for the same.
struct ExportDays: Sendable {
    /// How many, if the first is not given.
    var count = 7
    var first: ExistDay?
    /// The last; nil for the day on which the run began, where each user is.
    var last: ExistDay?
    var began = Date()
    /// The same day where the run was started, for accounts whose time zone is not known.
    var today = ExistDay(Date())

    func last(in zone: TimeZone?) -> ExistDay {
        last ?? zone.map { ExistDay(began, in: $0) } ?? today
    }

    func first(before last: ExistDay) -> ExistDay {
        first.map { min($0, last) } ?? last.advanced(by: 1 - count)
    }
}
