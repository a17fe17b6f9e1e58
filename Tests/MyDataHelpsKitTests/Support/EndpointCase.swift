import Foundation
import PledgeTestSupport
import Testing

@testable import MyDataHelpsKit

/// An endpoint of the service: a call to it in each style, what its parameters send, sample responses, and checks of how
/// those decode.
struct EndpointCase: Sendable, CustomTestStringConvertible {
    typealias Style = @Sendable (MyDataHelpsCase) async throws -> Void

    /// The method and path, with braces around the parts that differ between calls.
    let name: String
    /// The names of the sample responses; empty if a response has no content to decode.
    var samples: [String]
    var styles: [Style]
    var sent: [SentCall] = []
    /// Decodes a sample unchanged, and with a broken item at the start of each of its lists.
    var checkBroken: @Sendable (_ sample: String) throws -> Void = { _ in }
    /// Decodes a sample's body.
    var decoders: [@Sendable (Data) throws -> Any] = []
    /// Decodes a sample's body to models, and returns them with what was sent of them.
    var pairs: (@Sendable (Data) throws -> (models: Any, sent: JSONValue))?
    /// Decodes a sample with random changes by the client and by Foundation.
    var checkFuzzed: @Sendable (_ sample: String) throws -> Void = { _ in }

    var testDescription: String { name }
    var method: String { String(name.prefix { $0 != " " }) }
    var path: String { String(name.drop { $0 != " " }.dropFirst()) }
    var isDelegated: Bool { styles.count > 1 }

    /// Creates a case for a session's call, in the three styles.
    ///
    /// - Parameter sent: What the call sends, if that is more than its name.
    static func call<Promised, Awaited, Completed: Sendable>(
        _ name: String, _ samples: String..., sends sent: String? = nil,
        promise: @escaping @Sendable (ParticipantSession) -> Promise<Promised>,
        awaited: @escaping @Sendable (ParticipantSession) async throws -> Awaited,
        completion: @escaping @Sendable (ParticipantSession, @escaping ParticipantSession.Completion<Completed>) -> Void
    ) -> EndpointCase {
        EndpointCase(
            name: name, samples: samples,
            styles: [
                { _ = try await promise($0.session).value }, { _ = try await awaited($0.session) },
                { mdh in _ = try await finish { completion(mdh.session, $0) }.get() },
            ], sent: [SentCall(sent ?? name.replacingOccurrences(of: " ", with: " /"), promise)])
    }

    /// Creates a case for a list that is requested with ``ParticipantSession/page(_:)``.
    ///
    /// - Parameters:
    ///   - queries: The text that each query sends after the question mark. The first one also calls the sandbox.
    ///   - samples: The names of sample responses from the documentation, or their JSON.
    ///   - named: The styles of a dedicated method, if there is one.
    static func list<Query: PagedQuery>(
        _ queries: KeyValuePairs<String, Query>, _ samples: String..., named: NamedCall<Query>? = nil
    ) -> EndpointCase where Query.Page.Element: Equatable {
        let query = queries[0].value
        var row = call(
            query.endpoint.description, promise: { $0.page(query) }, awaited: { try await $0.page(query) },
            completion: { $0.page(query, completion: $1) })
        row.samples = samples
        row.styles += named?.styles(query) ?? []
        return row.sending(queries)
    }

    /// Returns this case, that of a list, with checks of what the queries send and how their pages decode.
    func sending<Query: PagedQuery>(
        _ queries: KeyValuePairs<String, Query>
    ) -> EndpointCase where Query.Page.Element: Equatable {
        let query = queries[0].value
        var row = self
        row.sent = queries.map { SentCall("GET /\(query.endpoint.path)?\($0)", $1) }
        row.checkFuzzed = { try ModelFuzz.check(query, $0) }
        row.pairs = { body in
            let reply = HTTPReply(url: MyDataHelpsClient.serviceURL, status: 200, body: body)
            let (items, sent) = (Array(try query.endpoint.decode(reply)), try Self.list(in: body))
            // Notifications of another type are kept elsewhere.
            return items.isEmpty ? ([] as [Any], .array([])) : (items, .array(sent))
        }
        return row.breaking(query.endpoint) { (Array($0), $0.unreadable) }
    }

    /// Creates a case for a service account's call, which has one style.
    static func account<Value>(
        _ name: String, _ samples: String..., call: @escaping @Sendable (ServiceAccount) -> Promise<Value>
    ) -> EndpointCase {
        EndpointCase(
            name: name, samples: samples,
            styles: [
                { mdh in
                    let account = ServiceAccount(name: mdh.sandbox.serviceAccount, client: mdh.client) { $0 }
                    _ = try await call(account).value
                }
            ])
    }

    /// Returns this case with checks that each item in a list has what was sent, and that a broken one does not affect the
    /// others.
    func breaking<Response, Items: Equatable & Sendable>(
        _ endpoint: Endpoint<Response>,
        _ parts: @escaping @Sendable (Response) -> (items: Items, unreadable: [UnreadableItem])
    ) -> EndpointCase {
        var row = self
        let decode = { @Sendable (body: Data) in
            try endpoint.decode(HTTPReply(url: MyDataHelpsClient.serviceURL, status: 200, body: body))
        }
        row.decoders.append(decode)
        row.checkBroken = { name in
            let body = try sample(name)
            let read = { (body: Data) in parts(try decode(body)) }
            let whole = try read(body)
            #expect(whole.unreadable.isEmpty, "\(name)")
            for item in [JSONValue.object([:]), .object(["id": .array([])]), .integer(7), .null, .string("x")] {
                let broken = try read(JSONEncoder().encode(try Self.putting(item, into: body)))
                #expect(broken.items == whole.items, "\(name) with \(item)")
                #expect(broken.unreadable.map(\.index) == [0], "\(name) with \(item)")
            }
        }
        return row
    }

    /// Returns this case with a type that its samples are decoded as.
    func decoding<Model: Decodable & Sendable>(_ type: Model.Type) -> EndpointCase {
        var row = self
        let decode = { @Sendable (body: Data) in
            try HTTPReply(url: MyDataHelpsClient.serviceURL, status: 200, body: body).json(type)
        }
        row.decoders.append(decode)
        if pairs == nil { row.pairs = { try (decode($0), JSONDecoder().decode(JSONValue.self, from: $0)) } }
        return row
    }

    /// The only list of a response.
    private static func list(in body: Data) throws -> [JSONValue] {
        let whole = try JSONDecoder().decode(JSONValue.self, from: body)
        let parts = if case .object(let members) = whole { Array(members.values) } else { [whole] }
        let lists = parts.compactMap { if case .array(let items) = $0 { items } else { nil } }
        try #require(lists.count == 1)
        return lists[0]
    }

    private static func putting(_ item: JSONValue, into body: Data) throws -> JSONValue {
        switch try JSONDecoder().decode(JSONValue.self, from: body) {
        case .array(let items): return .array([item] + items)
        case .object(let members):
            return .object(
                members.mapValues { value in
                    if case .array(let items) = value { .array([item] + items) } else { value }
                })
        case let other: return other
        }
    }
}

/// A call and the bytes that it sends to the service.
struct SentCall: Sendable, CustomTestStringConvertible {
    let sent: String
    let call: @Sendable (ParticipantSession) -> Promise<Void>

    init<Value>(_ sent: String, _ call: @escaping @Sendable (ParticipantSession) -> Promise<Value>) {
        self.sent = sent
        self.call = { call($0).asVoid() }
    }

    init<Query: PagedQuery>(_ sent: String, _ query: Query) {
        self.init(sent) { $0.page(query) }
    }

    var testDescription: String { sent }
}

/// The dedicated method of a query, in each style.
struct NamedCall<Query: Sendable>: Sendable {
    let styles: @Sendable (Query) -> [EndpointCase.Style]

    init<Promised, Awaited, Completed: Sendable>(
        promise: @escaping @Sendable (ParticipantSession, Query) -> Promise<Promised>,
        awaited: @escaping @Sendable (ParticipantSession, Query) async throws -> Awaited,
        completion:
            @escaping @Sendable (ParticipantSession, Query, @escaping ParticipantSession.Completion<Completed>) -> Void
    ) {
        styles = { query in
            EndpointCase.call(
                "", promise: { promise($0, query) }, awaited: { try await awaited($0, query) },
                completion: { completion($0, query, $1) }
            ).styles
        }
    }
}
