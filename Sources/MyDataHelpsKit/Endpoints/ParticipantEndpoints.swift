import PledgeHTTP

extension Endpoint where Response == ParticipantInfo {
    static var participant: Endpoint { Endpoint(.get, delegated("participant")) }
}

extension Endpoint where Response == ProjectInfo {
    static var project: Endpoint { Endpoint(.get, delegated("project")) }
}

extension Endpoint where Response == ProjectDataCollectionSettings {
    static var dataCollectionSettings: Endpoint { Endpoint(.get, delegated("datacollectionsettings")) }
}

extension Endpoint {
    /// The path of a call made for a participant.
    static func delegated(_ path: String) -> String { "api/v1/delegated/\(path)" }
}

extension Endpoint where Response == Void {
    /// A call whose answer is that it was done; whatever the reply holds does not matter.
    static func action(
        _ method: HTTPMethod, _ path: String, query: QueryItems = QueryItems(), body: Body? = nil,
        isRepeatable: Bool
    ) -> Endpoint {
        Endpoint(method, path, query: query, body: body, isRepeatable: isRepeatable) { _ in }
    }
}
