import Dispatch
import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// One participant's MyDataHelps: every call hangs off it.
///
/// Each call comes in three styles. Take the one that suits the place:
///
/// ```swift
/// session.getParticipantInfo().done { participant in show(participant) }.catch { error in show(error) }
///
/// let participant = try await session.getParticipantInfo()
///
/// session.getParticipantInfo { result in show(result) }
/// ```
///
/// A promise rejects with ``MyDataHelpsError``, its handlers run where they ask to, and cancelling it ends the request;
/// the one promise that you cancel yourself then rejects with `PromiseError.cancelled`, as any does. The asynchronous
/// call throws ``MyDataHelpsError`` and nothing else, and ends the request when its task is cancelled. A completion is
/// called once, on the main queue, also for a failure.
///
/// Another participant is another session.
public final class ParticipantSession: Sendable {
    /// What a call ends with, on the main queue: a value, or why there is none.
    public typealias Completion<Value> = (Result<Value, MyDataHelpsError>) -> Void

    /// How MyDataHelps is reached.
    public let client: MyDataHelpsClient
    private let endpoints: EndpointClient
    /// The token as it is now, for a page that cannot ask by itself.
    let token: @Sendable () -> Promise<String>

    private init(client: MyDataHelpsClient, authorizer: Authorizer) {
        self.client = client
        token = authorizer.token ?? { Promise(error: AccessTokenError.none) }
        endpoints = client.endpointClient(authorizer)
    }

    /// A session with a token that stays the same; make another when it has run out.
    public convenience init(client: MyDataHelpsClient, accessToken: ParticipantAccessToken) {
        self.init(client: client, authorizer: .bearer(accessToken.token))
    }

    /// A session that asks for the token before each request.
    ///
    /// - Parameters:
    ///   - client: how MyDataHelps is reached.
    ///   - dataSource: who has the token. Where the service refuses it and the source has another, a read is sent
    ///     again.
    ///   - hold: whether the session keeps the source alive. Unless asked to it does not, as the app is expected to:
    ///     when the source is gone, calls reject with an error that ``MyDataHelpsError/isMissingAccessToken``.
    public convenience init(
        client: MyDataHelpsClient, dataSource: any AccessTokenDataSource, hold: Authorizer.Hold = .weak
    ) {
        self.init(client: client, tokens: AccessTokens(dataSource, hold: hold))
    }

    /// A session that asks for the token before each request, and for another when the service refuses it.
    ///
    /// - Parameters:
    ///   - client: how MyDataHelps is reached.
    ///   - tokens: who gets tokens. However many requests are refused together, it is asked for another one once.
    ///   - hold: whether the session keeps the source alive.
    public convenience init(
        client: MyDataHelpsClient, tokens: any TokenSource, hold: Authorizer.Hold = .strong
    ) {
        self.init(client: client, authorizer: .source(tokens, hold: hold))
    }

    /// What the service announced with its last answer about how many requests are left; nil before the first. Look at
    /// it to slow down before the service says no.
    public var rateLimit: APIRateLimit? { APIRateLimit(endpoints.rateLimit) }

    /// Sends a call, tells the client what of the answer could not be read, and turns whatever goes wrong into a
    /// ``MyDataHelpsError``.
    func send<Response>(_ endpoint: @autoclosure () throws -> Endpoint<Response>) -> Promise<Response> {
        answer(try endpoint()).map(on: nil) { $0.value }
    }

    /// The same, with the reply.
    func answer<Response>(_ endpoint: @autoclosure () throws -> Endpoint<Response>) -> Promise<Answer<Response>> {
        let call: Endpoint<Response>
        do {
            call = try endpoint()
        } catch {
            return Promise(error: MyDataHelpsError.encodingError(error))
        }
        return endpoints.send(call).get(on: nil) { [client] answer in
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

    /// Hands over what a promise came to, on the main queue: the completion style of a call.
    func report<Value: Sendable>(_ promise: Promise<Value>, to completion: @escaping Completion<Value>) {
        let parcel = CompletionParcel(completion: completion)
        promise.pipe { result in
            DispatchQueue.main.async { parcel.completion(result.mapError { MyDataHelpsError($0) }) }
        }
    }
}

/// A completion on its way to the main queue.
private struct CompletionParcel<Value>: @unchecked Sendable {
    // The vendor's completions are not Sendable, and code written for them does not compile where they have to be. Nobody
    // but the main queue calls it, and that once; until then it is only carried.
    let completion: ParticipantSession.Completion<Value>
}

/// An answer that is no page, and of which some items may be missing.
protocol PartlyReadable {
    var unreadable: [UnreadableItem] { get }
}

extension ItemList: PartlyReadable {}

extension ParticipantSession: Discreet {
    /// The client; never the token.
    public var description: String { "ParticipantSession(\(client.baseURL.redacted))" }
}
