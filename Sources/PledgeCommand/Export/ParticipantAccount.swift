import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding

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

    func read(_ section: ExportOptions.Section) -> Promise<Void> {
        owner().then(on: nil) { participant in try read(section, of: participant) }
    }

    private func read(_ section: ExportOptions.Section, of participant: ParticipantInfo) throws -> Promise<Void> {
        let zone = participant.demographics.timeZone.flatMap(TimeZone.init(ofService:)) ?? TimeZone.utc
        let last = days.last(in: zone)
        let first = days.first(before: last)
        let start = first.exclusiveStart(in: zone)
        let end = last.advanced(by: 1).date(in: zone)
        switch section {
        case .participant:
            try line.write { $0.participant(participant) }
            return Promise()
        case .project:
            return session.getProjectInfo().done(on: nil) { project in try line.write { $0.project(project) } }
        case .devicedata:
            return deviceData(from: start, to: end, in: zone).then(on: nil) {
                deviceDataV2(of: participant, from: first, through: last)
            }
        case .tasks:
            return line.list("tasks", session.pages(SurveyTaskQuery()), by: { HashKey($0.id.value) }) {
                $0.fields(of: $1)
            }
        case .answers:
            return line.list(
                "answers", session.pages(SurveyAnswersQuery(after: start, before: end)), by: { HashKey($0.id.value) }
            ) { $0.fields(of: $1) }
        default: return Promise()
        }
    }

    /// Writes the device data of all sources that the project permits. `zone` determines the day of a data point.
    private func deviceData(from start: Date, to end: Date, in zone: TimeZone) -> Promise<Void> {
        session.getDataCollectionSettings().then(on: nil) { settings -> Promise<Void> in
            let sources = settings.namespaces.map { name -> Source in
                let query = DeviceDataQuery(
                    namespace: DeviceDataNamespace(rawValue: name), observedAfter: start, observedBefore: end)
                return (name, { write(query, in: zone) })
            }
            return line.list("values") { inTurn(sources) }
        }
    }

    private func write(_ query: DeviceDataQuery, in zone: TimeZone) -> Promise<Void> {
        line.write(session.pages(query), by: { HashKey($0.id.value) }) { json, point in
            let observed = point.observationDate ?? point.startDate
            json.fields(of: point, day: observed.map { ExistDay($0, in: zone).description })
        }
    }

    /// Writes version 2 of the device data, one enabled type after another. Does nothing without a service account.
    private func deviceDataV2(
        of participant: ParticipantInfo, from first: ExistDay, through last: ExistDay
    ) -> Promise<Void> {
        guard let serviceAccount else { return Promise() }
        let margin = DeviceDataV2Query.observationMargin
        @Sendable func write(_ type: DeviceDataV2Type) -> Promise<Void> {
            let query = DeviceDataV2Query(
                project: participant.projectID, namespace: type.namespace, type: type.type,
                participantIdentifier: participant.participantIdentifier,
                observedAfter: first.date(in: TimeZone.utc) - margin,
                observedBefore: last.advanced(by: 1).date(in: TimeZone.utc) + margin)
            let wanted = first.description...last.description
            return line.write(
                serviceAccount.pages(query), by: { HashKey($0.id.value) },
                where: { $0.day.map(wanted.contains) ?? true }
            ) { $0.fields(of: $1) }
        }
        return line.list("values_v2") {
            unlessRefused("the types") {
                serviceAccount.deviceDataV2Types(in: participant.projectID).then(on: nil) { types -> Promise<Void> in
                    let enabled = types.filter { $0.isEnabled != false }
                    let byName = Dictionary(
                        enabled.map { (ExactText("\($0.namespace)/\($0.type)"), $0) }, uniquingKeysWith: { $1 })
                    return inTurn(
                        byName.sorted { $0.key < $1.key }.map { name, type in (name.text, { write(type) }) })
                }
            }
        }
    }

    /// A source of device data: its name in messages, and a closure that reads it.
    private typealias Source = (name: String, read: @Sendable () -> Promise<Void>)

    private func inTurn(_ sources: [Source]) -> Promise<Void> {
        sources.reduce(Promise()) { before, source in
            before.then(on: nil) { unlessRefused(source.name, source.read) }
        }
    }

    /// Reads a source. If the service refuses that, the refusal is noted in the line as an item that could not be read,
    /// and the promise is fulfilled.
    private func unlessRefused(_ source: String, _ read: () -> Promise<Void>) -> Promise<Void> {
        read().recover(on: nil) { error in
            guard error.isRefusal else { throw error }
            line.add(unreadable: "The device data of \(source) could not be read: \(describe(error))")
        }
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
