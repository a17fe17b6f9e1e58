import Dispatch
import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// A session of one participant, through which all calls are made, in any of three styles:
///
/// ```swift
/// session.getParticipantInfo().done { participant in show(participant) }.catch { error in show(error) }
///
/// let participant = try await session.getParticipantInfo()
///
/// session.getParticipantInfo { result in show(result) }
/// ```
///
/// A promise rejects with ``MyDataHelpsError``, and its handlers run on the queue they specify. Canceling it cancels
/// the request, which the service may already have carried out, and rejects this promise with `PromiseError.cancelled`.
/// The asynchronous call throws only ``MyDataHelpsError``, and cancels the request when its task is canceled. A
/// completion handler is called once, on the main queue.
///
/// Queries return one page: use `query.page(after:)` for the next, or ``pages(_:)`` for all of them.
public final class ParticipantSession: Sendable {
    /// A completion handler, called on the main queue with a value or an error.
    public typealias Completion<Value> = (Result<Value, MyDataHelpsError>) -> Void

    /// The client used to connect to MyDataHelps.
    public let client: MyDataHelpsClient
    private let endpoints: EndpointClient
    /// Returns the current token, for a page that cannot request it itself.
    let token: @Sendable () -> Promise<String>

    package init(client: MyDataHelpsClient, authorizer: Authorizer) {
        self.client = client
        token = authorizer.token ?? { Promise(error: AccessTokenError()) }
        endpoints = client.endpointClient(authorizer)
    }

    private init(_ other: ParticipantSession, _ endpoints: EndpointClient) {
        client = other.client
        token = other.token
        self.endpoints = endpoints
    }

    /// Returns this session for one participant alone, and a function that returns that participant: whenever the token
    /// changes, it asks whose the new one is before it sends anything else. See ``OneOwner``.
    package func ofOneOwner() -> (session: ParticipantSession, owner: @Sendable () -> Promise<ParticipantInfo>) {
        let one = OneOwner(of: endpoints) {
            $0.value(of: .participant)
        } isSame: {
            ExactText($0.participantID.value) == ExactText($1.participantID.value)
                && ExactText($0.projectID.value) == ExactText($1.projectID.value)
        }
        return (ParticipantSession(self, one.client), { one.owner().mapError(on: nil) { MyDataHelpsError($0) } })
    }

    /// Creates a session with a fixed token; create another session when the token has expired.
    public convenience init(client: MyDataHelpsClient, accessToken: ParticipantAccessToken) {
        self.init(client: client, authorizer: .bearer(accessToken.token))
    }

    /// Creates a session that gets the token from a data source before each request. If a token is rejected and the
    /// source has another, reads are retried.
    ///
    /// By default it does not retain the source, because the app is expected to: when the source is deallocated, calls
    /// reject; see ``MyDataHelpsError/isMissingAccessToken``.
    public convenience init(
        client: MyDataHelpsClient, dataSource: any AccessTokenDataSource, hold: Authorizer.Hold = .weak
    ) {
        let find = hold.finder(of: dataSource)
        let tokens = FetchedTokens { _ in
            firstly { () throws -> Promise<String> in
                guard let token = try find().accessToken, !token.isEmpty else { throw AccessTokenError() }
                return .value(token)
            }
        }
        self.init(client: client, tokens: tokens)
    }

    /// Creates a session that gets the token from a token source before each request, and another when it is rejected.
    /// Concurrently rejected requests request another token once.
    public convenience init(
        client: MyDataHelpsClient, tokens: any TokenSource, hold: Authorizer.Hold = .strong
    ) {
        self.init(client: client, authorizer: .source(tokens, hold: hold))
    }

    /// The rate limit in the latest response, for slowing down before requests are rejected; nil before the first.
    public var rateLimit: APIRateLimit? { APIRateLimit(endpoints.rateLimit) }

    /// Sends any endpoint of the service, such as one that this kit has no call for, with the session's token, retries,
    /// and rate limit. Its path is relative to the client's base URL.
    public func send<Response>(_ endpoint: Endpoint<Response>) -> Promise<Decoded<Response>> {
        client.send(endpoint, from: endpoints)
    }

    /// Sends an endpoint, whose creation may throw, and returns only the decoded value.
    func call<Response>(_ endpoint: @autoclosure () throws -> Endpoint<Response>) -> Promise<Response> {
        do {
            return send(try endpoint()).map(on: nil) { $0.value }
        } catch {
            return Promise(error: MyDataHelpsError.encodingError(error))
        }
    }

    /// The number of requests that were sent.
    package var requestCount: Int { endpoints.requestCount }

    /// Returns a text of a response, or “…” if it contains a token that was sent.
    package func hide(_ text: String) -> String { endpoints.hide(text) }

    /// Returns all pages of a list, starting with the query's: in a loop with `for try await`, or with
    /// `items(atMost:)`. See <doc:Paging>.
    ///
    /// Each page is fetched on demand and counts against the hourly rate limit. Both styles throw ``MyDataHelpsError``.
    public func pages<Query: PagedQuery>(_ query: Query) -> PageSequence<Query> { client.pages(query, from: endpoints) }

    /// The asynchronous style of a call.
    func value<Value>(of promise: Promise<Value>) async throws(MyDataHelpsError) -> Value {
        do {
            return try await promise.value
        } catch {
            throw MyDataHelpsError(error)
        }
    }

    /// The completion style of a call, on the main queue.
    func report<Value: Sendable>(_ promise: Promise<Value>, to completion: @escaping Completion<Value>) {
        nonisolated(unsafe) let completion = completion
        // The vendor's completion handlers are not Sendable, and code written for them does not compile if they must
        // be. Only the main queue calls the handler, and only once; until then it is merely stored.
        promise.pipe { result in
            DispatchQueue.main.async { completion(result.mapError { MyDataHelpsError($0) }) }
        }
    }
}

extension ParticipantSession: Redacted {
    /// A description of the client, never of the token.
    public var description: String { "ParticipantSession(\(client.baseURL.redacted))" }
}
