import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding
import PledgeHistory

/// Writes the data of a MyDataHelps participant to the participant's line. Each page is written when it arrives.
struct ParticipantAccount: Sendable {
    let session: ParticipantSession
    let owner: @Sendable () -> Promise<ParticipantInfo>
    /// The service account that reads version 2 of device data; nil to leave out version 2.
    let serviceAccount: ServiceAccount?
    let days: ExportDays
    let line: LineBuffer
    /// Returns the message of an error that concerns only one source. The other data of the participant is still read.
    let describe: @Sendable (any Error) -> String
    private let known = Locked<ParticipantInfo?>(nil)

    init(
        session: ParticipantSession, owner: @escaping @Sendable () -> Promise<ParticipantInfo>,
        serviceAccount: ServiceAccount? = nil, days: ExportDays, line: LineBuffer,
        describe: @escaping @Sendable (any Error) -> String
    ) {
        self.session = session
        self.owner = owner
        self.serviceAccount = serviceAccount
        self.days = days
        self.line = line
        self.describe = describe
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

    /// Writes version 2 of the device data, one enabled type after another. Does nothing without a service account.
    private func deviceDataV2() -> Promise<Void> {
        guard let serviceAccount else { return Promise() }
        return participant().then(on: nil) { participant -> Promise<Void> in
            let project = participant.projectID
            let zone = TimeZone.utc
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

    /// Reads one source after another. If the service refuses a source, the refusal is noted in the line as an item
    /// that could not be read, and the next source is read.
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

    /// Returns the participant. If the participant's section has already been read, no request is sent.
    private func participant() -> Promise<ParticipantInfo> {
        known.withLock { $0 }.map { .value($0) } ?? owner()
    }

    private var zone: TimeZone? {
        known.withLock { $0?.demographics.timeZone }.flatMap(TimeZone.init(ofService:))
    }

    /// Returns the day of a date in the participant's time zone, or in UTC if the time zone is unknown.
    private func day(of date: Date) -> String {
        ExistDay(date, in: zone ?? TimeZone.utc).description
    }

    private var bounds: (after: Date, before: Date) {
        let last = days.last(in: zone)
        let first = days.first(before: last)
        return (first.exclusiveStart(in: zone ?? TimeZone.utc), last.advanced(by: 1).date(in: zone ?? TimeZone.utc))
    }
}

// These functions write MyDataHelps' models in the form of the lines of `pledge export`. They leave out no property.

extension JSONText {
    mutating func participant(_ participant: ParticipantInfo) {
        let demographics = participant.demographics
        object("participant") { json in
            json.field("participant_id", participant.participantID.value)
            json.field("project_id", participant.projectID.value)
            json.field("participant_identifier", participant.participantIdentifier)
            json.field("secondary_identifier", participant.secondaryIdentifier)
            json.field("link_identifier", participant.linkIdentifier)
            json.object("demographics") { json in
                json.field("email", demographics.email)
                json.field("mobile_phone", demographics.mobilePhone)
                json.field("first_name", demographics.firstName)
                json.field("middle_name", demographics.middleName)
                json.field("last_name", demographics.lastName)
                json.field("street1", demographics.street1)
                json.field("street2", demographics.street2)
                json.field("city", demographics.city)
                json.field("state", demographics.state)
                json.field("postal_code", demographics.postalCode)
                json.field("date_of_birth", demographics.dateOfBirth)
                json.field("preferred_language", demographics.preferredLanguage)
                json.field("gender", demographics.gender?.rawValue)
                json.field("utc_offset", demographics.utcOffset)
                json.field("time_zone", demographics.timeZone)
                json.field("is_unsubscribed_from_emails", demographics.statedEmails)
                json.field("is_unsubscribed_from_sms", demographics.statedSMS)
            }
            json.field("custom_fields", participant.customFields)
            json.timestamp("enrollment_date", participant.enrollmentDate)
        }
    }

    mutating func project(_ project: ProjectInfo) {
        object("project") { json in
            json.field("id", project.id.value)
            json.field("name", project.name)
            json.field("description", project.description)
            json.field("code", project.code)
            json.field("type", project.type.rawValue)
            json.object("organization") { json in
                json.field("id", project.organization.id.value)
                json.field("name", project.organization.name)
                json.field("description", project.organization.description)
                json.field("logo_url", project.organization.logoURL?.absoluteString)
                json.field("color", project.organization.color)
            }
            json.field("support_email", project.supportEmail)
            json.field("support_phone", project.supportPhone)
            json.field("learn_more_link", project.learnMoreLink)
            json.field("learn_more_title", project.learnMoreTitle)
        }
    }

    mutating func fields(of point: DeviceDataPoint, day: String?) {
        field("attribute", "\(point.namespace.rawValue)/\(point.type)")
        field("day", day)
        field("value", point.value)
        field("units", point.units)
        field("id", point.id.value)
        field("namespace", point.namespace.rawValue)
        field("type", point.type)
        field("device_data_context_id", point.deviceDataContextID?.value)
        timestamp("inserted_date", point.insertedDate)
        timestamp("modified_date", point.modifiedDate)
        field("identifier", point.identifier)
        if !point.properties.isEmpty { field("properties", point.properties) }
        if let source = point.source {
            object("source") { json in
                json.field("identifier", source.identifier)
                if !source.properties.isEmpty { json.field("properties", source.properties) }
            }
        }
        timestamp("start_date", point.startDate, offset: point.startOffset)
        timestamp("observation_date", point.observationDate, offset: point.observationOffset)
    }

    mutating func fields(of point: DeviceDataPointV2) {
        field("attribute", "\(point.namespace.rawValue)/\(point.type)")
        field("day", point.day)
        field("value", point.value)
        field("units", point.units)
        field("id", point.id.value)
        field("namespace", point.namespace.rawValue)
        field("type", point.type)
        timestamp("inserted_date", point.insertedDate)
        timestamp("modified_date", point.modifiedDate)
        field("identifier", point.identifier)
        if !point.properties.isEmpty { field("properties", .object(point.properties)) }
        if !point.dataSource.isEmpty { field("data_source", .object(point.dataSource)) }
        field("start_date", point.startDate?.description)
        field("observation_date", point.observationDate?.description)
    }

    mutating func fields(of task: SurveyTask) {
        field("id", task.id.value)
        field("survey_id", task.surveyID.value)
        field("survey_name", task.surveyName)
        field("survey_display_name", task.surveyDisplayName)
        field("survey_description", task.surveyDescription)
        timestamp("start_date", task.startDate, offset: task.startOffset)
        timestamp("end_date", task.endDate, offset: task.endOffset)
        field("status", task.status.rawValue)
        field("has_saved_progress", task.hasSavedProgress)
        timestamp("due_date", task.dueDate, offset: task.dueOffset)
        timestamp("inserted_date", task.insertedDate)
        timestamp("modified_date", task.modifiedDate)
        field("link_identifier", task.linkIdentifier)
    }

    mutating func fields(of answer: SurveyAnswer) {
        field("id", answer.id.value)
        field("survey_result_id", answer.surveyResultID.value)
        field("survey_id", answer.surveyID.value)
        field("survey_version", answer.surveyVersion)
        field("task_id", answer.taskID?.value)
        field("survey_name", answer.surveyName)
        field("survey_display_name", answer.surveyDisplayName)
        timestamp("date", answer.date, offset: answer.dateOffset)
        field("step_identifier", answer.stepIdentifier)
        field("result_identifier", answer.resultIdentifier)
        texts("answers", answer.answers)
        timestamp("inserted_date", answer.insertedDate)
    }
}
