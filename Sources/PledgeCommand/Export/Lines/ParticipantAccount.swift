import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding

/// Writes the data of a MyDataHelps participant, page by page as it arrives.
struct ParticipantAccount: Sendable {
    let session: ParticipantSession
    let owner: @Sendable () -> Promise<ParticipantInfo>
    let days: ExportDays
    let line: LineBuffer
    private let zone = Locked<TimeZone?>(nil)

    func read(_ section: ExportOptions.Section) -> Promise<Void> {
        switch section {
        case .participant:
            owner().done(on: nil) { participant in
                zone.withLock { $0 = participant.demographics.timeZone.flatMap(TimeZone.init(ofService:)) }
                try line.write { $0.participant(participant) }
            }
        case .project:
            session.getProjectInfo().done(on: nil) { project in try line.write { $0.project(project) } }
        case .devicedata: deviceData()
        case .tasks:
            line.list("tasks", session.pages(SurveyTaskQuery()), by: { HashKey($0.id.value) }) { $0.fields(of: $1) }
        case .answers:
            line.list(
                "answers", session.pages(SurveyAnswersQuery(after: bounds.after, before: bounds.before)),
                by: { HashKey($0.id.value) }
            ) { $0.fields(of: $1) }
        default: Promise()
        }
    }

    /// Writes the device data of all sources that the project permits.
    private func deviceData() -> Promise<Void> {
        session.getDataCollectionSettings().then(on: nil) { settings -> Promise<Void> in
            let sources = Set(settings.queryableDeviceDataTypes.map { ExactText($0.namespace.rawValue) }).sorted()
            let (start, end) = bounds
            return line.list("values") {
                sources.reduce(Promise()) { before, source in
                    before.then(on: nil) { _ -> Promise<Void> in
                        let query = DeviceDataQuery(
                            namespace: DeviceDataNamespace(rawValue: source.text), observedAfter: start,
                            observedBefore: end)
                        return line.write(session.pages(query), by: { HashKey($0.id.value) }) { json, point in
                            let observed = point.observationDate ?? point.startDate
                            json.fields(of: point, day: observed.map { day(of: $0) })
                        }
                    }
                }
            }
        }
    }

    /// Returns the day in the participant's time zone if it is known, otherwise in UTC.
    private func day(of date: Date) -> String {
        ExistDay(date, in: zone.withLock { $0 } ?? TimeZone.utc).description
    }

    private var bounds: (after: Date, before: Date) {
        let zone = zone.withLock { $0 }
        let last = days.last(in: zone)
        let first = days.first(before: last)
        return (first.exclusiveStart(in: zone ?? TimeZone.utc), last.advanced(by: 1).date(in: zone ?? TimeZone.utc))
    }
}
