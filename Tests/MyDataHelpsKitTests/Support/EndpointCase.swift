import Foundation
import PledgeTestSupport
import Testing

@testable import MyDataHelpsKit

/// An endpoint of the service: a call to it in each style, what its parameters send, sample responses, and checks of
/// how the samples decode.
struct EndpointCase: Sendable, CustomTestStringConvertible {
    typealias Style = @Sendable (MyDataHelpsCase) async throws -> Void

    /// The method and path, with braces around the parts that differ between calls.
    let name: String
    /// The names of the sample responses; empty if a response has no content to decode.
    var samples: [String]
    var styles: [Style]
    var sent: [SentCall] = []
    /// The parameters that are the same in all of a list's queries.
    var constant: [String] = []
    /// Decodes a sample's body.
    var decoders: [@Sendable (Data) throws -> Any] = []
    /// Decodes a sample's body to models, and returns them with the JSON that was sent for them.
    var pairs: (@Sendable (Data) throws -> (model: Any, sent: JSONValue))?
    /// Decodes the samples in several ways. This is nil if the call returns no model.
    var decoding: ModelDecoding?
    /// The fields without which a response, or an item of its lists, cannot be read.
    var needs: Set<String> = []
    /// The fields that ``HostileVariants/unusual`` must contain after a check of the first sample.
    var unusual: Set<String> = []

    var testDescription: String { name }
    var method: String { String(name.prefix { $0 != " " }) }
    var path: String { String(name.drop { $0 != " " }.dropFirst()) }
    var isDelegated: Bool { styles.count > 1 }
    var isList: Bool { sent.count > 1 }

    /// Creates a case for a session's call, in the three styles.
    ///
    /// - Parameter sent: The method and target that the call must send; nil if they are the same as in `name`.
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
    ///   - queries: The text that each query sends after the question mark. Tests also send the first query to the
    ///     sandbox.
    ///   - samples: The names of sample responses from the documentation, or their JSON. Tests try wrong
    ///     values in the first sample.
    ///   - named: A case for a dedicated call, if there is one.
    static func list<Query: PagedQuery>(
        _ queries: KeyValuePairs<String, Query>, _ samples: String..., needs: String..., unusual: String...,
        named: EndpointCase? = nil
    ) -> EndpointCase where Query.Page.Element: Equatable {
        let query = queries[0].value
        var row = call(
            query.endpoint.description, promise: { $0.page(query) }, awaited: { try await $0.page(query) },
            completion: { $0.page(query, completion: $1) })
        (row.samples, row.needs, row.unusual) = (samples, Set(needs), Set(unusual))
        row.styles += named?.styles ?? []
        return row.sending(queries)
    }

    /// Returns a copy of this case, which must be the case of a list, with additional checks. They test what each query
    /// sends, and how the pages decode.
    func sending<Query: PagedQuery>(
        _ queries: KeyValuePairs<String, Query>, needs: String...
    ) -> EndpointCase where Query.Page.Element: Equatable {
        let query = queries[0].value
        var row = self
        row.needs.formUnion(needs)
        row.sent = queries.map { SentCall("GET /\(query.endpoint.path)?\($0)", $1) }
        let values = queries.map { Mirror(reflecting: $0.value).children.map { ($0.label ?? "", "\($0.value)") } }
        row.constant = values[0].filter { value in values.allSatisfy { $0.contains { $0 == value } } }.map(\.0)
        let endpoint = query.endpoint
        let decode = { @Sendable (body: Data) in
            try endpoint.decode(RawResponse(url: MyDataHelpsClient.serviceURL, status: 200, body: body), .plain)
        }
        row.decoders.append(decode)
        row.decoding = ModelDecoding(
            client: decode,
            foundation: { body in
                guard let type = Query.Page.self as? any Decodable.Type else { return try decode(body) }
                return try #require(try JSONDecoder().decode(type, from: body) as? Query.Page)
            }
        ) {
            ModelReading($0.items + [($0 as? any ResultPageWithID)?.nextPage] as [any Equatable], $0.unreadable)
        }
        row.pairs = { body in
            let (items, sent) = (Array(try decode(body)), try Self.list(in: body))
            // A page keeps notifications of an unknown type in another property.
            return items.isEmpty ? ([] as [Any], .array([])) : (items, .array(sent))
        }
        return row
    }

    /// Creates a case for a service account's call, which has one style.
    static func account<Value>(
        _ name: String, _ samples: String..., unusual: String...,
        call: @escaping @Sendable (ServiceAccount) -> Promise<Value>
    ) -> EndpointCase {
        EndpointCase(
            name: name, samples: samples,
            styles: [
                { mdh in
                    let account = ServiceAccount(name: mdh.sandbox.serviceAccount, client: mdh.client) { $0 }
                    _ = try await call(account).value
                }
            ], unusual: Set(unusual))
    }

    /// Returns this case with checks that decode its samples as the given type. The checks compare the decoded values
    /// as a whole or, if `parts` is given, part by part.
    func decoding<Model: Decodable & Sendable & Equatable>(
        _ type: Model.Type, needs: String..., unusual: String..., parts: (@Sendable (Model) -> ModelReading)? = nil
    ) -> EndpointCase {
        var row = self
        let decode = { @Sendable (body: Data) in
            try RawResponse(url: MyDataHelpsClient.serviceURL, status: 200, body: body).json(type)
        }
        row.decoders.append(decode)
        (row.needs, row.unusual) = (row.needs.union(needs), row.unusual.union(unusual))
        if pairs == nil {
            row.pairs = { try (decode($0), JSONDecoder().decode(JSONValue.self, from: $0)) }
        }
        row.decoding = ModelDecoding(
            hasItems: parts != nil, client: decode, foundation: { try JSONDecoder().decode(type, from: $0) },
            parts ?? { ModelReading([$0]) })
        return row
    }

    /// Returns the only list in a response.
    private static func list(in body: Data) throws -> [JSONValue] {
        let whole = try JSONDecoder().decode(JSONValue.self, from: body)
        let parts = if case .object(let members) = whole { Array(members.values) } else { [whole] }
        let lists = parts.compactMap { if case .array(let items) = $0 { items } else { nil } }
        try #require(lists.count == 1)
        return lists[0]
    }
}

extension ModelDecoding {
    fileprivate init<Model>(
        hasItems: Bool = true, client: @escaping @Sendable (Data) throws -> Model,
        foundation: @escaping @Sendable (Data) throws -> Model, _ reading: @escaping @Sendable (Model) -> ModelReading
    ) {
        self.init(
            hasItems: hasItems, client: { reading(try client($0)) }, foundation: { reading(try foundation($0)) },
            path: { error in
                let unreadable =
                    (error as? DecodingError).map { UnreadableResponse($0) } ?? error as? UnreadableResponse
                if case .unexpected(let path, _)? = unreadable { return path }
                return nil
            })
    }
}

extension ResultPageWithID {
    fileprivate var nextPage: String? { nextPageID?.value }
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
