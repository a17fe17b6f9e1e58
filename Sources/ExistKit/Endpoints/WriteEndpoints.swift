import Foundation
import PledgeHTTP

/// https://developer.exist.io/reference/attribute_ownership/
extension Endpoint where Response == AttributeResponse {
    static func acquire(_ claims: [AttributeClaim], successObjects: Bool) throws -> Endpoint {
        try .batch("attributes/acquire/", claims, successObjects: successObjects, isRepeatable: true)
    }

    static func release(names: [String]) throws -> Endpoint {
        try .batch("attributes/release/", names.map { ["name": $0] }, isRepeatable: false)
    }
}

/// https://developer.exist.io/reference/creating_attributes/
extension Endpoint where Response == AttributeCreateResponse {
    static func create(_ attributes: [NewAttribute]) throws -> Endpoint {
        try .batch("attributes/create/", attributes, successObjects: true, isRepeatable: false)
    }
}

/// https://developer.exist.io/reference/writing_data/
extension Endpoint where Response == AttributeUpdateResponse {
    static func update(_ updates: [any AttributeUpdate]) throws -> Endpoint {
        let items = updates.map { WriteItem(name: $0.name, date: $0.day, value: $0.update) }
        return try .batch("attributes/update/", items, isRepeatable: true)
    }
}

/// https://developer.exist.io/reference/writing_data/
extension Endpoint where Response == AttributeIncrementResponse {
    static func increment(_ increments: [AttributeIncrement]) throws -> Endpoint {
        let items = increments.map { WriteItem(name: $0.name, date: $0.day, value: $0.value) }
        // Twice is not the same as once: this is never sent again by itself.
        return try .batch("attributes/increment/", items, isRepeatable: false)
    }
}

private struct WriteItem: Encodable {
    var name: String
    var date: ExistDay?
    var value: AttributeValue
}

extension Endpoint {
    /// A write of up to 35 items. Whatever the status below 500, a body with results is a result.
    fileprivate static func batch<Success, Failure>(
        _ path: String, _ items: [some Encodable], successObjects: Bool = false, isRepeatable: Bool
    ) throws -> Endpoint where Response == BatchResult<Success, Failure> {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var query = QueryItems()
        query.add("success_objects", successObjects, as: "1")
        var endpoint = Endpoint(
            .post, path, query: query, body: .json(try encoder.encode(items)), isRepeatable: isRepeatable)
        endpoint.accepts = { reply in
            switch reply.status {
            case 200..<300: true
            case 400..<500: (try? JSONReply.decode(Response.self, from: reply)) != nil
            default: false
            }
        }
        return endpoint
    }
}
