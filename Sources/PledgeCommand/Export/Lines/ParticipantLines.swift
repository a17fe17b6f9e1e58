import MyDataHelpsKit

// All members of MyDataHelps' models, as lines contain them.

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
