@testable import ExistKit
import Foundation
import PledgeTestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An endpoint of the service: a call to it, what its parameters send, sample responses, and checks of how the samples
/// decode.
struct EndpointCase: Sendable, CustomTestStringConvertible {
    /// The method and path, as in the service's documentation.
    let name: String
    let samples: [String]
    /// Whether the call requires a token. All calls do, except those that return a token.
    var needsToken = true
    var sent: [SentCall] = []
    /// Decodes a sample, encodes the result, and expects that it decodes to an equal value again. Returns the models
    /// with the JSON that was sent for them, or with null if that JSON has another form.
    var checkEncoded: @Sendable (_ sample: String) throws -> [(model: Any, sent: JSONValue)] = { _ in [] }
    /// Decodes the samples in several ways. This is nil if the call returns no model.
    var decoding: ModelDecoding?
    /// The fields without which a response, or an item of its lists, cannot be read.
    var needs: Set<String> = []
    /// The fields that ``HostileVariants/unusual`` must contain after a check of the first sample.
    var unusual: Set<String> = []
    let call: @Sendable (ExistAPI) -> Promise<Void>

    var testDescription: String { name }
    /// The samples that can be decoded. Samples with the status 404 can't be decoded, because they contain no result.
    var readable: [String] { samples.filter { !$0.hasSuffix("404") } }

    static func one<Value>(
        _ name: String, _ samples: String..., needsToken: Bool = true,
        call: @escaping @Sendable (ExistAPI) -> Promise<Value>
    ) -> EndpointCase {
        EndpointCase(name: name, samples: samples, needsToken: needsToken) { call($0).asVoid() }
    }

    /// Creates a case for a response that is one model, or a 404 if there is none.
    static func one<Value, Model: Codable & Equatable & Sendable>(
        _ name: String, _ samples: String..., of type: Model.Type, needs: String..., unusual: String...,
        call: @escaping @Sendable (ExistAPI) -> Promise<Value>
    ) -> EndpointCase {
        EndpointCase(
            name: name, samples: samples,
            checkEncoded: { [(try read(type, $0), try read(JSONValue.self, $0))] },
            decoding: ModelDecoding(type, hasItems: false) { ModelReading([$0]) }, needs: Set(needs),
            unusual: Set(unusual), call: { call($0).asVoid() })
    }

    private static func encoded<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    /// Creates a case for a list.
    ///
    /// - Parameters:
    ///   - queries: The text that each query sends after the question mark. Tests also send the first query to the
    ///     sandbox.
    ///   - samples: The names of sample responses from the documentation, or their JSON. Tests try wrong
    ///     values in the first sample.
    static func list<Item: Codable & Equatable>(
        _ queries: KeyValuePairs<String, ExistQuery<Item>>, _ samples: String..., needs: String..., unusual: String...
    ) -> EndpointCase {
        let query = queries[0].value
        return EndpointCase(
            name: query.endpoint.description, samples: samples,
            sent: queries.map { SentCall("GET /api/2/\(query.endpoint.path)?\($0)", $1) },
            checkEncoded: { sample in
                let page = try read(ExistPage<Item>.self, sample)
                let again = try encoded(page)
                #expect(again.results == page.results && again.totalCount == page.totalCount, "\(sample)")
                #expect(again.next == page.next && again.previous == page.previous, "\(sample)")
                return [(page.results, try sent(sample, "results"))]
            },
            decoding: ModelDecoding(ExistPage<Item>.self) {
                ModelReading($0.results + [$0.totalCount, [$0.next, $0.previous]] as [any Equatable], $0.unreadable)
            }, needs: Set(needs), unusual: Set(unusual), call: { $0.page(query).asVoid() })
    }

    static func write<Success: Codable & Equatable>(
        _ name: String, _ samples: String..., unusual: String...,
        call:
            @escaping @Sendable (ExistAPI) -> Promise<(attributeResponse: WriteResult<Success>, response: URLResponse)>
    ) -> EndpointCase {
        EndpointCase(
            name: name, samples: samples,
            checkEncoded: { sample in
                let result = try read(WriteResult<Success>.self, sample)
                let again = try encoded(result)
                #expect(again.success == result.success && again.failed == result.failed, "\(sample)")
                // A succeeded item contains the whole attribute if the request asked for whole attributes.
                let success = result.success.map { ($0 as? SuccessfulAttribute)?.attribute ?? $0 as Any }
                return [
                    (result.success, .null), (success, try sent(sample, "success")),
                    (result.failed, try sent(sample, "failed")),
                ]
            },
            decoding: ModelDecoding(WriteResult<Success>.self) {
                ModelReading($0.success + $0.failed as [any Equatable], $0.unreadable)
            }, needs: ["name"], unusual: Set(unusual), call: { call($0).asVoid() })
    }

    /// Returns a list in a sample, or null if the sample doesn't have it.
    private static func sent(_ sample: String, _ list: String) throws -> JSONValue {
        guard case .object(let response) = try read(JSONValue.self, sample) else { throw NoSuchDay() }
        return response[list] ?? .null
    }
}

extension ModelDecoding {
    init<Model: Decodable & Sendable>(
        _ type: Model.Type, hasItems: Bool = true, _ reading: @escaping @Sendable (Model) -> ModelReading
    ) {
        self.init(
            hasItems: hasItems,
            client: { reading(try RawResponse(url: ExistAPI.serviceURL, status: 200, body: $0).json(type)) },
            foundation: { reading(try JSONDecoder().decode(type, from: $0)) },
            path: { error in
                let unreadable =
                    (error as? DecodingError).map { UnreadableResponse($0) } ?? error as? UnreadableResponse
                if case .unexpected(let path, _)? = unreadable { return path }
                return nil
            })
    }
}

/// A call and the bytes that it sends to the service.
struct SentCall: Sendable, CustomTestStringConvertible {
    let sent: String
    let call: @Sendable (ExistAPI) -> Promise<Void>

    init<Value>(_ sent: String, _ call: @escaping @Sendable (ExistAPI) -> Promise<Value>) {
        self.sent = sent
        self.call = { call($0).asVoid() }
    }

    init<Item>(_ sent: String, _ query: ExistQuery<Item>) {
        self.init(sent) { existAPI -> Promise<ExistAPI.PageOutput<Item>> in existAPI.page(query) }
    }

    var testDescription: String { sent }
    /// The name of the endpoint that the call uses.
    var endpoint: String { sent.replacing(#/^(\w+) \/api\/2(\/[^ ?]*).*/#) { "\($0.1) \($0.2.dropFirst())" } }
}
