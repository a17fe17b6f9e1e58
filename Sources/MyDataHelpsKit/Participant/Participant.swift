import Pledge
import PledgeHTTP

extension Endpoint where Response == ParticipantInfo {
    static var participant: Endpoint { Endpoint(.get, "api/v1/delegated/participant") }
}

extension Endpoint where Response == ProjectInfo {
    static var project: Endpoint { Endpoint(.get, "api/v1/delegated/project") }
}

extension Endpoint where Response == ProjectDataCollectionSettings {
    static var dataCollectionSettings: Endpoint { Endpoint(.get, "api/v1/delegated/datacollectionsettings") }
}

extension ParticipantSession {
    // One comment for the three styles of a call: promise, asynchronous, completion.

    /// Fetches the participant. `GET api/v1/delegated/participant`
    public func getParticipantInfo() -> Promise<ParticipantInfo> { send(.participant) }
    public func getParticipantInfo() async throws(MyDataHelpsError) -> ParticipantInfo {
        try await value(of: send(.participant))
    }
    public func getParticipantInfo(completion: @escaping Completion<ParticipantInfo>) {
        report(send(.participant), to: completion)
    }

    /// Fetches the participant's project. `GET api/v1/delegated/project`
    public func getProjectInfo() -> Promise<ProjectInfo> { send(.project) }
    public func getProjectInfo() async throws(MyDataHelpsError) -> ProjectInfo { try await value(of: send(.project)) }
    public func getProjectInfo(completion: @escaping Completion<ProjectInfo>) {
        report(send(.project), to: completion)
    }

    /// Fetches the project's data collection settings. `GET api/v1/delegated/datacollectionsettings`
    public func getDataCollectionSettings() -> Promise<ProjectDataCollectionSettings> { send(.dataCollectionSettings) }
    public func getDataCollectionSettings() async throws(MyDataHelpsError) -> ProjectDataCollectionSettings {
        try await value(of: send(.dataCollectionSettings))
    }
    public func getDataCollectionSettings(completion: @escaping Completion<ProjectDataCollectionSettings>) {
        report(send(.dataCollectionSettings), to: completion)
    }
}
