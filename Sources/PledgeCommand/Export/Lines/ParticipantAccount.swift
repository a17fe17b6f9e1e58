import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding
import PledgeHistory

/// Writes the data of a MyDataHelps participant, page by page as it arrives.
struct ParticipantAccount: Sendable {
    let session: ParticipantSession
    let owner: @Sendable () -> Promise<ParticipantInfo>
    /// The service account that reads version 2 of device data; nil to leave it out.
    let serviceAccount: ServiceAccount?
    let days: ExportDays
    let line: LineBuffer
    /// Returns an error's message, for what the rest of the line does without.
    let describe: @Sendable (any Error) -> String
    private let known = Locked<ParticipantInfo?>(nil)

    init(
        session: ParticipantSession, owner: @escaping @Sendable () -> Promise<ParticipantInfo>,
        serviceAccount: ServiceAccount? = nil, days: ExportDays, line: LineBuffer,
        describe: @escaping @Sendable (any Error) -> String
    ) {
        (self.session, self.owner, self.serviceAccount) = (session, owner, serviceAccount)
        (self.days, self.line, self.describe) = (days, line, describe)
    }

    func read(_ section: ExportOptions.Section) -> Promise<Void> {
        switch section {
        case .participant:
            owner().done(on: nil) { participant in
                known.withLock { $0 = participant }
                try line.write { $0.participant(participant) }
            }
        case .project:
            session.getProjectInfo().done(on: nil) { project in try line.write { $0.project(project) } }
        case .devicedata: deviceData().then(on: nil) { deviceDataV2() }
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
                inTurn(sources.map(\.text)) { source in
                    let query = DeviceDataQuery(
                        namespace: DeviceDataNamespace(rawValue: source), observedAfter: start, observedBefore: end)
                    return line.write(session.pages(query), by: { HashKey($0.id.value) }) { json, point in
                        let observed = point.observationDate ?? point.startDate
                        json.fields(of: point, day: observed.map { day(of: $0) })
                    }
                }
            }
        }
    }

    /// Writes version 2 of the device data, one enabled type after another.
    private func deviceDataV2() -> Promise<Void> {
        guard let serviceAccount else { return Promise() }
        return participant().then(on: nil) { participant -> Promise<Void> in
            let (project, zone) = (participant.projectID, TimeZone.utc)
            let margin = DeviceDataV2Query.observationMargin
            let last = days.last(in: self.zone)
            let first = days.first(before: last)
            let wanted = first.description...last.description
            return line.list("values_v2") {
                inTurn(["the types"]) { _ in
                    serviceAccount.deviceDataV2Types(in: project).then(on: nil) { types -> Promise<Void> in
                        let enabled = types.filter { $0.isEnabled != false }
                        let names = Dictionary(
                            enabled.map { (ExactText("\($0.namespace)/\($0.type)"), $0) }, uniquingKeysWith: { $1 })
                        return inTurn(names.keys.sorted().map(\.text)) { name in
                            guard let type = names[ExactText(name)] else { return Promise() }
                            let query = DeviceDataV2Query(
                                project: project, namespace: type.namespace, type: type.type,
                                participantIdentifier: participant.participantIdentifier,
                                observedAfter: first.date(in: zone) - margin,
                                observedBefore: last.advanced(by: 1).date(in: zone) + margin)
                            return line.write(
                                serviceAccount.pages(query), by: { HashKey($0.id.value) },
                                where: { $0.day.map(wanted.contains) ?? true }
                            ) { $0.fields(of: $1) }
                        }
                    }
                }
            }
        }
    }

    /// Reads one source after another. One that is refused costs only itself: the line says so, among what is unreadable.
    private func inTurn(
        _ sources: [String], _ read: @escaping @Sendable (String) -> Promise<Void>
    ) -> Promise<Void> {
        sources.reduce(Promise()) { before, source in
            before.then(on: nil) { _ -> Promise<Void> in
                read(source).recover(on: nil) { error in
                    guard error.isRefusal else { throw error }
                    line.add(unreadable: "The device data of \(source) could not be read: \(describe(error))")
                }
            }
        }
    }

    /// Returns the participant, from the section before if it was requested.
    private func participant() -> Promise<ParticipantInfo> {
        known.withLock { $0 }.map { .value($0) } ?? owner()
    }

    private var zone: TimeZone? {
        known.withLock { $0?.demographics.timeZone }.flatMap(TimeZone.init(ofService:))
    }

    /// Returns the day in the participant's time zone if it is known, otherwise in UTC.
    private func day(of date: Date) -> String {
        ExistDay(date, in: zone ?? TimeZone.utc).description
    }

    private var bounds: (after: Date, before: Date) {
        let last = days.last(in: zone)
        let first = days.first(before: last)
        return (first.exclusiveStart(in: zone ?? TimeZone.utc), last.advanced(by: 1).date(in: zone ?? TimeZone.utc))
    }
}
