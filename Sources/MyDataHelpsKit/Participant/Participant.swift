import Pledge
import PledgeHTTP

extension ParticipantSession {
    /// Fetches the participant. `GET api/v1/delegated/participant`
    public func getParticipantInfo() -> Promise<ParticipantInfo> { call(.participant) }
    public func getParticipantInfo() async throws(MyDataHelpsError) -> ParticipantInfo {
        try await value(of: call(.participant))
    }
    public func getParticipantInfo(completion: @escaping Completion<ParticipantInfo>) {
        report(call(.participant), to: completion)
    }

    /// Fetches the participant's project. `GET api/v1/delegated/project`
    public func getProjectInfo() -> Promise<ProjectInfo> { call(.project) }
    public func getProjectInfo() async throws(MyDataHelpsError) -> ProjectInfo { try await value(of: call(.project)) }
    public func getProjectInfo(completion: @escaping Completion<ProjectInfo>) {
        report(call(.project), to: completion)
    }

    /// Fetches the project's data collection settings. `GET api/v1/delegated/datacollectionsettings`
    public func getDataCollectionSettings() -> Promise<ProjectDataCollectionSettings> { call(.dataCollectionSettings) }
    public func getDataCollectionSettings() async throws(MyDataHelpsError) -> ProjectDataCollectionSettings {
        try await value(of: call(.dataCollectionSettings))
    }
    public func getDataCollectionSettings(completion: @escaping Completion<ProjectDataCollectionSettings>) {
        report(call(.dataCollectionSettings), to: completion)
    }
}

extension Endpoint where Response == ParticipantInfo {
    static var participant: Endpoint { Endpoint(.get, "api/v1/delegated/participant") }
}

extension Endpoint where Response == ProjectInfo {
    static var project: Endpoint { Endpoint(.get, "api/v1/delegated/project") }
}

extension Endpoint where Response == ProjectDataCollectionSettings {
    static var dataCollectionSettings: Endpoint { Endpoint(.get, "api/v1/delegated/datacollectionsettings") }
}
