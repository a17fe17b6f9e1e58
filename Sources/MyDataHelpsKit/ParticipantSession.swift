import Dispatch
import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// A session of one participant, through which all calls are made.
///
/// Each call comes in three styles, to choose from as needed:
///
/// ```swift
/// session.getParticipantInfo().done { participant in show(participant) }.catch { error in show(error) }
///
/// let participant = try await session.getParticipantInfo()
///
/// session.getParticipantInfo { result in show(result) }
/// ```
///
/// A promise rejects with ``MyDataHelpsError``, its handlers run on the queue they specify, and cancelling it
/// cancels the request; only the promise that you cancel yourself rejects with `PromiseError.cancelled`, as any
/// promise does. The asynchronous call throws only ``MyDataHelpsError``, and cancels the request when its task is
/// canceled. A completion handler is called once, on the main queue, on success and on failure.
///
/// Each participant requires a separate session.
public final class ParticipantSession: Sendable {
    /// A completion handler, called on the main queue with a value or an error.
    public typealias Completion<Value> = (Result<Value, MyDataHelpsError>) -> Void

    /// The client used to connect to MyDataHelps.
    public let client: MyDataHelpsClient
    private let endpoints: EndpointClient
    /// Returns the current token, for a page that cannot request it itself.
    let token: @Sendable () -> Promise<String>

    private init(client: MyDataHelpsClient, authorizer: Authorizer) {
        self.client = client
        token = authorizer.token ?? { Promise(error: AccessTokenError.none) }
        endpoints = client.endpointClient(authorizer)
    }

    /// Creates a session with a fixed token; create another session when the token has expired.
    public convenience init(client: MyDataHelpsClient, accessToken: ParticipantAccessToken) {
        self.init(client: client, authorizer: .bearer(accessToken.token))
    }

    /// Creates a session that gets the token from a data source before each request.
    ///
    /// - Parameters:
    ///   - client: The client used to connect to MyDataHelps.
    ///   - dataSource: The source of the token. If a token is rejected and the source has another, reads are retried.
    ///   - hold: Whether the session keeps the source alive. By default it does not, because the app is expected to:
    ///     when the source is deallocated, calls reject; see ``MyDataHelpsError/isMissingAccessToken``.
    public convenience init(
        client: MyDataHelpsClient, dataSource: any AccessTokenDataSource, hold: Authorizer.Hold = .weak
    ) {
        self.init(client: client, tokens: AccessTokens(dataSource, hold: hold))
    }

    /// Creates a session that gets the token from a token source before each request, and another when it is rejected.
    ///
    /// - Parameters:
    ///   - client: The client used to connect to MyDataHelps.
    ///   - tokens: The source of the tokens. Requests rejected together request another token once.
    ///   - hold: Whether the session keeps the source alive.
    public convenience init(
        client: MyDataHelpsClient, tokens: any TokenSource, hold: Authorizer.Hold = .strong
    ) {
        self.init(client: client, authorizer: .source(tokens, hold: hold))
    }

    /// The rate limit reported by the latest response; nil before the first. Check it to slow down before the service
    /// rejects requests.
    public var rateLimit: APIRateLimit? { APIRateLimit(endpoints.rateLimit) }

    /// Sends a call, reports the unreadable parts of the response to the client, and converts any failure to a
    /// ``MyDataHelpsError``.
    func send<Response>(_ endpoint: @autoclosure () throws -> Endpoint<Response>) -> Promise<Response> {
        answer(try endpoint()).map(on: nil) { $0.value }
    }

    /// The meter of a call that may send several requests.
    var meter: BudgetMeter { endpoints.meter }

    /// Sends a call as ``send(_:)`` does, and returns the value together with the response.
    func answer<Response>(
        _ endpoint: @autoclosure () throws -> Endpoint<Response>, _ meter: BudgetMeter? = nil
    ) -> Promise<Answer<Response>> {
        let call: Endpoint<Response>
        do {
            call = try endpoint()
        } catch {
            return Promise(error: MyDataHelpsError.encodingError(error))
        }
        return endpoints.send(call, charging: meter ?? endpoints.options.meter).get(on: nil) { [client] answer in
            let unreadable = (answer.value as? any ResultPage)?.unreadable
            client.report(
                unreadable ?? (answer.value as? any PartlyReadable)?.unreadable ?? [],
                of: call.path.split(separator: "/").last.map(String.init) ?? "")
        }.mapError(on: nil) { MyDataHelpsError($0) }
    }

    /// Waits for a promise: the asynchronous style of a call.
    func value<Value>(of promise: Promise<Value>) async throws(MyDataHelpsError) -> Value {
        do {
            return try await promise.value
        } catch {
            throw MyDataHelpsError(error)
        }
    }

    /// Passes the result of a promise to a handler on the main queue: the completion style of a call.
    func report<Value: Sendable>(_ promise: Promise<Value>, to completion: @escaping Completion<Value>) {
        let parcel = CompletionParcel(completion: completion)
        promise.pipe { result in
            DispatchQueue.main.async { parcel.completion(result.mapError { MyDataHelpsError($0) }) }
        }
    }
}

/// A completion handler in transit to the main queue.
private struct CompletionParcel<Value>: @unchecked Sendable {
    // The vendor's completion handlers are not Sendable, and code written for them does not compile if they must be.
    // Only the main queue calls the handler, and only once; until then it is merely stored.
    let completion: ParticipantSession.Completion<Value>
}

/// A response that is not a page, but may also have unreadable items.
protocol PartlyReadable {
    var unreadable: [UnreadableItem] { get }
}

extension ItemList: PartlyReadable {}

extension ParticipantSession: Redacted {
    /// A description of the client, never of the token.
    public var description: String { "ParticipantSession(\(client.baseURL.redacted))" }
}
