import MyDataHelpsKit

/// Returns a copy of a model, made by its public initializer from each of its properties; nil of what has none.
func rebuilt(_ model: Any) -> Any? {
    switch model {
    case let it as DeviceDataPoint:
        DeviceDataPoint(
            id: it.id, namespace: it.namespace, type: it.type, value: it.value, units: it.units,
            identifier: it.identifier, properties: it.properties, source: it.source, startDate: it.startDate,
            observationDate: it.observationDate, insertedDate: it.insertedDate, modifiedDate: it.modifiedDate,
            deviceDataContextID: it.deviceDataContextID)
    case let it as DeviceDataPointSource:
        DeviceDataPointSource(identifier: it.identifier, properties: it.properties)
    case let it as ExternalAccount:
        ExternalAccount(id: it.id, status: it.status, provider: it.provider, lastRefreshDate: it.lastRefreshDate)
    case let it as ExternalAccountProvider:
        ExternalAccountProvider(
            id: it.id, name: it.name, category: it.category, logoLink: it.logoLink, isEnabled: it.isEnabled,
            message: it.message, successorID: it.successorID)
    case let it as NotificationContent.PushContent:
        NotificationContent.PushContent(title: it.title, body: it.body)
    case let it as NotificationHistoryModel:
        NotificationHistoryModel(
            id: it.id, identifier: it.identifier, sentDate: it.sentDate, statusCode: it.statusCode, content: it.content)
    case let it as Organization:
        Organization(
            id: it.id, name: it.name, description: it.description, logoLink: it.logoLink, color: it.color)
    case let it as ParticipantInfo:
        ParticipantInfo(
            participantID: it.participantID, projectID: it.projectID, participantIdentifier: it.participantIdentifier,
            secondaryIdentifier: it.secondaryIdentifier, linkIdentifier: it.linkIdentifier,
            demographics: it.demographics, customFields: it.customFields, enrollmentDate: it.enrollmentDate)
    case let it as ProjectInfo:
        ProjectInfo(
            id: it.id, name: it.name, description: it.description, code: it.code, type: it.type,
            organization: it.organization, supportEmail: it.supportEmail, supportPhone: it.supportPhone,
            learnMoreLink: it.learnMoreLink, learnMoreTitle: it.learnMoreTitle)
    case let it as SurveyAnswer:
        SurveyAnswer(
            id: it.id, surveyResultID: it.surveyResultID, surveyID: it.surveyID, surveyVersion: it.surveyVersion,
            taskID: it.taskID, surveyName: it.surveyName, surveyDisplayName: it.surveyDisplayName, date: it.date,
            stepIdentifier: it.stepIdentifier, resultIdentifier: it.resultIdentifier, answers: it.answers,
            insertedDate: it.insertedDate)
    case let it as SurveyTask:
        SurveyTask(
            id: it.id, surveyID: it.surveyID, surveyName: it.surveyName, surveyDisplayName: it.surveyDisplayName,
            surveyDescription: it.surveyDescription, startDate: it.startDate, endDate: it.endDate, status: it.status,
            hasSavedProgress: it.hasSavedProgress, dueDate: it.dueDate, insertedDate: it.insertedDate,
            modifiedDate: it.modifiedDate, linkIdentifier: it.linkIdentifier)
    default: nil
    }
}
