import ExistKit
import Foundation
import MyDataHelpsKit

/// The days of a report about a MyDataHelps participant, and the time range of the data that the report needs.
struct ParticipantSpan {
    static let namespaces: [DeviceDataNamespace] = [.project, .fitbit, .appleHealth, .googleFit, .garmin, .omron]

    let report: ReportSpan
    let zone: TimeZone

    /// The last moment before the report's first day. A query for data after this moment includes the whole first day,
    /// because the service excludes both ends of a query's range.
    var start: Date { report.days[0].exclusiveStart(in: zone) }
    var startBefore: Date { report.before[0].exclusiveStart(in: zone) }
    var end: Date { report.last.advanced(by: 1).date(in: zone) }

    init(_ span: ReportSpan, in zone: TimeZone) {
        report = span
        self.zone = zone
    }

    func day(_ date: Date) -> ExistDay { ExistDay(date, in: zone) }

    /// Returns the last moment before the latest `days` days, for a query that excludes the beginning of its range.
    static func start(ofLast days: Int, _ context: RunContext) -> Date {
        ExistDay(context.clock.now(), in: context.timeZone).advanced(by: 1 - days)
            .exclusiveStart(in: context.timeZone)
    }
}

extension ExistDay {
    /// The last moment before a day. MyDataHelps has a resolution of milliseconds.
    func exclusiveStart(in zone: TimeZone) -> Date { date(in: zone).addingTimeInterval(-0.001) }
}
