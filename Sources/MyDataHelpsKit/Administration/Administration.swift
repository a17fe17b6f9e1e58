import Pledge
import PledgeCoding
import PledgeHTTP

extension ServiceAccount {
    /// Fetches a page of a project's list with the account's own token: of its participants
    /// (``ProjectParticipantsQuery``), or of their device data (``DeviceDataV2Query``).
    ///
    /// To read the other data of a participant, create a session with ``tokens(for:scopes:)``.
    public func page<Query: PagedQuery>(_ query: Query) -> Promise<Query.Page> {
        send(query.endpoint).map(on: nil, \.value)
    }

    /// Returns all pages of a project's list, starting with the query's; see ``page(_:)`` and <doc:Paging>. The account's
    /// token is renewed as often as a long list requires.
    public func pages<Query: PagedQuery>(_ query: Query) -> PageSequence<Query> {
        client.pages(query, from: endpoints)
    }

    /// Fetches the participant with this identifier in the project.
    /// `GET api/v1/administration/projects/<id>/participants/<identifier>`
    ///
    /// Rejects with ``MyDataHelpsError/encodingError(_:)`` for an empty identifier, or "." or "..", which would lead to
    /// another resource.
    public func participant(_ participantIdentifier: String, in project: Project.ID) -> Promise<ProjectParticipant> {
        let (project, identifier) = (PathSegments.encoded(project.value), PathSegments.encoded(participantIdentifier))
        let path = "api/v1/administration/projects/\(project)/participants/\(identifier)"
        return send(Endpoint<ProjectParticipant>(.get, path)).map(on: nil, \.value)
    }

    /// Sends any endpoint of the administration API, such as one that this kit has no call for, with the account's own
    /// token. Its path is relative to the client's base URL.
    public func send<Response>(_ endpoint: Endpoint<Response>) -> Promise<Decoded<Response>> {
        client.send(endpoint, from: endpoints)
    }
}
