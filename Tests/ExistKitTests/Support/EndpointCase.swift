@testable import ExistKit
import Foundation
import PledgeTestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An endpoint of the service: a call to it, what its parameters send, sample responses, and checks of how those decode.
struct EndpointCase: Sendable, CustomTestStringConvertible {
    /// The method and path, as in the service's documentation.
    let name: String
    let samples: [String]
    /// Whether the call requires a token. All do, except those that return one.
    var needsToken = true
    var sent: [SentCall] = []
    /// Decodes a sample unchanged, and with a broken item at the start of each of its lists.
    var checkBroken: @Sendable (_ sample: String) throws -> Void = { _ in }
    /// Encodes what a sample decodes to, expects that it decodes to the same again, and returns the models with what was
    /// sent; null where that has another form.
    var checkEncoded: @Sendable (_ sample: String) throws -> [(model: Any, sent: JSONValue)] = { _ in [] }
    /// Decodes a sample with random changes by the client and by Foundation.
    var checkFuzzed: @Sendable (_ sample: String) throws -> Void = { _ in }
    let call: @Sendable (ExistAPI) -> Promise<Void>

    var testDescription: String { name }

    static func one<Value>(
        _ name: String, _ samples: String..., needsToken: Bool = true,
        call: @escaping @Sendable (ExistAPI) -> Promise<Value>
    ) -> EndpointCase {
        EndpointCase(name: name, samples: samples, needsToken: needsToken) { call($0).asVoid() }
    }

    /// Creates a case for a response that is one model, or a 404 if there is none.
    static func one<Value, Model: Codable & Equatable & Sendable>(
        _ name: String, _ samples: String..., of type: Model.Type,
        call: @escaping @Sendable (ExistAPI) -> Promise<Value>
    ) -> EndpointCase {
        EndpointCase(
            name: name, samples: samples,
            checkEncoded: { sample in
                sample.hasSuffix("404") ? [] : [(try read(type, sample), try read(JSONValue.self, sample))]
            },
            checkFuzzed: { sample in
                if !sample.hasSuffix("404") { try ModelFuzz.check(type, sample) { ($0, []) } }
            },
            call: { call($0).asVoid() })
    }

    private static func encoded<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    /// Creates a case for a list.
    ///
    /// - Parameters:
    ///   - queries: The text that each query sends after the question mark. The first one also calls the sandbox.
    ///   - samples: The names of sample responses from the documentation, or their JSON.
    static func list<Item: Codable & Equatable>(
        _ queries: KeyValuePairs<String, ExistQuery<Item>>, _ samples: String...
    ) -> EndpointCase {
        let query = queries[0].value
        return EndpointCase(
            name: query.endpoint.description, samples: samples,
            sent: queries.map { SentCall("GET /api/2/\(query.endpoint.path)?\($0)", $1) },
            checkBroken: { sample in
                let whole = try read(ExistPage<Item>.self, sample)
                #expect(!whole.results.isEmpty && whole.unreadable.isEmpty, "\(sample)")
                for item in [JSONValue.object([:]), .object(["name": .array([])]), .integer(7), .null, .string("x")] {
                    let page = try decode(ExistPage<Item>.self, try broken(sample, with: item))
                    #expect(page.results == whole.results, "\(sample) with \(item)")
                    #expect(page.unreadable.map(\.index) == [0], "\(sample) with \(item)")
                }
            },
            checkEncoded: { sample in
                let page = try read(ExistPage<Item>.self, sample)
                let again = try encoded(page)
                #expect(again.results == page.results && again.totalCount == page.totalCount, "\(sample)")
                #expect(again.next == page.next && again.previous == page.previous, "\(sample)")
                return [(page.results, try sent(sample, "results"))]
            },
            checkFuzzed: { try ModelFuzz.check(pagesOf: Item.self, $0) },
            call: { $0.page(query).asVoid() })
    }

    static func write<Success: Codable & Equatable>(
        _ name: String, _ samples: String...,
        call:
            @escaping @Sendable (ExistAPI) -> Promise<(attributeResponse: WriteResult<Success>, response: URLResponse)>
    ) -> EndpointCase {
        EndpointCase(
            name: name, samples: samples,
            checkBroken: { sample in
                let whole = try read(WriteResult<Success>.self, sample)
                let reply = try decode(WriteResult<Success>.self, try broken(sample, with: .integer(7)))
                #expect(reply.success == whole.success && reply.failed == whole.failed, "\(sample)")
                #expect(whole.unreadable.isEmpty && !reply.unreadable.isEmpty, "\(sample)")
            },
            checkEncoded: { sample in
                let result = try read(WriteResult<Success>.self, sample)
                let again = try encoded(result)
                #expect(again.success == result.success && again.failed == result.failed, "\(sample)")
                // On request, a success is the attribute itself.
                let success = result.success.map { ($0 as? SuccessfulAttribute)?.attribute ?? $0 as Any }
                return [
                    (result.success, .null), (success, try sent(sample, "success")),
                    (result.failed, try sent(sample, "failed")),
                ]
            },
            checkFuzzed: { try ModelFuzz.check(WriteResult<Success>.self, $0) },
            call: { call($0).asVoid() })
    }

    /// Returns a list of a sample; null if it has none.
    private static func sent(_ sample: String, _ list: String) throws -> JSONValue {
        guard case .object(let reply) = try read(JSONValue.self, sample) else { throw NoSuchDay() }
        return reply[list] ?? .null
    }

    /// Returns a sample with a broken item at the start of each of its lists.
    private static func broken(_ sample: String, with item: JSONValue) throws -> String {
        guard case .object(var reply) = try read(JSONValue.self, sample) else { throw NoSuchDay() }
        for key in ["results", "success", "failed"] {
            if case .array(let items)? = reply[key] { reply[key] = .array([item] + items) }
        }
        return String(decoding: try JSONEncoder().encode(reply), as: UTF8.self)
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
        self.init(sent) { existAPI -> Promise<ExistAPI.PageReply<Item>> in existAPI.page(query) }
    }

    var testDescription: String { sent }
}
