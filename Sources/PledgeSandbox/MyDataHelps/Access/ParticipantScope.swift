/// The scopes of participants' tokens. The service's own list is not published: these are the ones that its starter kit
/// and public programs name.
enum ParticipantScope {
    static let participant = "Participant:read"
    static let project = "Project:read"
    static let settings = "DataCollectionSettings:read"
    static let tasks = "SurveyTasks:read"
    static let answers = "SurveyAnswers:read"
    static let notifications = "Notifications:read"
    static let accounts = "ExternalAccounts:read"
    static let connecting = "ExternalAccounts:connect"
    /// Opens every call; it is the only one for calls whose own scope nobody has named.
    static let everything = "api"
    /// Opens health records, which are not simulated.
    static let records = "user/*.read"

    static let all: Set = [
        participant, project, settings, tasks, answers, notifications, accounts, connecting, everything, records,
    ]
}
