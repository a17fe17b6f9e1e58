import Dispatch
import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// A session of one participant. Its methods send all calls to the service. You can use each call in any of three
/// styles:
///
/// ```swift
/// session.getParticipantInfo().done { participant in show(participant) }.catch { error in show(error) }
///
/// let participant = try await session.getParticipantInfo()
///
/// session.getParticipantInfo { result in show(result) }
/// ```
///
/// - A promise rejects with ``MyDataHelpsError``, and its handlers run on the queues that they specify. If you cancel
///   the promise, the request is canceled, and the promise rejects with `PromiseError.cancelled`. The service may
///   already have carried out the request.
/// - An async call throws only ``MyDataHelpsError``. If its task is canceled, the request is canceled.
/// - A completion handler is called once, on the main queue.
///
/// A query returns one page. For the next page, use `query.page(after:)`. For all pages, use ``pages(_:)``.
public final class ParticipantSession: Sendable {
    /// A completion handler. It is called on the main queue with a value or an error.
    public typealias Completion<Value> = (Result<Value, MyDataHelpsError>) -> Void

    /// The client that connects to MyDataHelps.
    public let client: MyDataHelpsClient
    private let endpoints: EndpointClient
    /// Returns the current token. The web page of a survey needs it, because the page can't get the token itself.
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

    /// Returns a copy of this session that acts for one participant only, and a function that returns this participant.
    ///
    /// Whenever the token changes, the copy first asks the service which participant the new token belongs to. The copy
    /// refuses the token of another participant. See ``OneOwner``.
    package func ofOneOwner() -> (session: ParticipantSession, owner: @Sendable () -> Promise<ParticipantInfo>) {
        let one = OneOwner(of: endpoints) {
            $0.value(of: .participant)
        } isSame: {
            ExactText($0.participantID.value) == ExactText($1.participantID.value)
                && ExactText($0.projectID.value) == ExactText($1.projectID.value)
        }
        return (ParticipantSession(self, one.client), { one.owner().mapError(on: nil) { MyDataHelpsError($0) } })
    }

    /// Creates a session with a fixed token. After the token has expired, create another session.
    public convenience init(client: MyDataHelpsClient, accessToken: ParticipantAccessToken) {
        self.init(client: client, authorizer: .bearer(accessToken.token))
    }

    /// Creates a session that gets the token from a data source before each request. If the service rejects a token,
    /// and the data source then has another token, the request is sent again.
    ///
    /// By default, the session does not retain the data source, because the app is expected to do that. After the data
    /// source is deallocated, calls reject with an error whose ``MyDataHelpsError/isMissingAccessToken`` is true.
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

    /// Creates a session that gets the token from a token source before each request. If the service rejects the token,
    /// the session requests another token. If the service rejects several requests at the same time, the session
    /// requests only one new token for all of them.
    public convenience init(
        client: MyDataHelpsClient, tokens: any TokenSource, hold: Authorizer.Hold = .strong
    ) {
        self.init(client: client, authorizer: .source(tokens, hold: hold))
    }

    /// The rate limit in the service's most recent response; nil before the first response. Use it to slow down before
    /// the service rejects requests.
    public var rateLimit: APIRateLimit? { APIRateLimit(endpoints.rateLimit) }

    /// Sends any endpoint of the service with the session's token, retries, and rate limit. Use it for an endpoint that
    /// this kit has no call for.
    ///
    /// The endpoint's path is relative to the client's base URL.
    public func send<Response>(_ endpoint: Endpoint<Response>) -> Promise<Decoded<Response>> {
        endpoints.call(endpoint)
    }

    /// Sends an endpoint, and returns only the decoded value. If creating the endpoint throws, the promise rejects with
    /// ``MyDataHelpsError/encodingError(_:)``.
    func call<Response>(_ endpoint: @autoclosure () throws -> Endpoint<Response>) -> Promise<Response> {
        do {
            return send(try endpoint()).map(on: nil) { $0.value }
        } catch {
            return Promise(error: MyDataHelpsError.encodingError(error))
        }
    }

    /// The number of requests that this session has sent.
    package var requestCount: Int { endpoints.requestCount }

    /// Returns a text from a response, or “…” if the text contains a token that the session sent.
    package func hide(_ text: String) -> String { endpoints.hide(text) }

    /// Returns the pages of a list, beginning with the query's page. Read them in a loop with `for try await`, or call
    /// `items(atMost:)` to get the items of all pages. See <doc:Paging>.
    ///
    /// Each page is fetched when it is needed, and counts against the hourly rate limit. If a page can't be fetched,
    /// the error is a ``MyDataHelpsError``.
    public func pages<Query: PagedQuery>(_ query: Query) -> PageSequence<Query> { endpoints.sequence(query) }

    /// Returns the value of a call's promise, for the async style of the call.
    func value<Value>(of promise: Promise<Value>) async throws(MyDataHelpsError) -> Value {
        do {
            return try await promise.value
        } catch {
            throw MyDataHelpsError(error)
        }
    }

    /// Passes the result of a call's promise to a completion handler on the main queue.
    func deliver<Value: Sendable>(_ promise: Promise<Value>, to completion: @escaping Completion<Value>) {
        nonisolated(unsafe) let completion = completion
        // The vendor's completion handlers are not Sendable. If this method required Sendable handlers, code that was
        // written for the vendor's SDK would not compile. Passing the handler on is safe, because only the main queue
        // calls the handler, and only once. Until then, the handler is merely stored.
        promise.pipe { result in
            DispatchQueue.main.async { completion(result.mapError { MyDataHelpsError($0) }) }
        }
    }
}

extension ParticipantSession: Redacted {
    /// A description of the client, but never of the token.
    public var description: String { "ParticipantSession(\(client.baseURL.redacted))" }
}
