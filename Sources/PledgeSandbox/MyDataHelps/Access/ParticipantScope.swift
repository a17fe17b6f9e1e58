/// The scopes of participants' tokens in the service's starter kit and in public programs; its list is not published.
enum ParticipantScope {
    static let participant = "Participant:read"
    static let project = "Project:read"
    static let settings = "DataCollectionSettings:read"
    static let tasks = "SurveyTasks:read"
    static let answers = "SurveyAnswers:read"
    static let notifications = "Notifications:read"
    static let accounts = "ExternalAccounts:read"
    static let connecting = "ExternalAccounts:connect"
    /// Permits every call, and is the only scope for calls whose own scope is unknown.
    static let everything = "api"
    /// Permits reading health records, which are not simulated.
    static let records = "user/*.read"

    static let all: Set = [
        participant, project, settings, tasks, answers, notifications, accounts, connecting, everything, records,
    ]
}
