import Foundation
import PledgeHTTP

/// https://developer.exist.io/reference/attributes/
extension Endpoint where Response == ExistPage<Attribute> {
    static func attributesWithValues(
        names: [String]? = nil, days: Int? = nil, dateMax: ExistDay? = nil, page: Int = 1, limit: Int = 100
    ) -> Endpoint {
        var query = QueryItems()
        query.add("attributes", list: names)
        query.add("days", days)
        query.add("date_max", dateMax?.description)
        query.add("page", page)
        query.add("limit", limit)
        return Endpoint(.get, "attributes/with-values/", query: query)
    }
}

/// https://developer.exist.io/reference/attribute_ownership/
extension Endpoint where Response == AttributeResponse {
    static func acquire(names: [String]) throws -> Endpoint {
        try .batch("attributes/acquire/", names.map { ["name": $0] }, isRepeatable: true)
    }

    static func release(names: [String]) throws -> Endpoint {
        try .batch("attributes/release/", names.map { ["name": $0] }, isRepeatable: false)
    }
}

/// https://developer.exist.io/reference/writing_data/
extension Endpoint where Response == AttributeUpdateResponse {
    static func update(_ updates: [any AttributeUpdate]) throws -> Endpoint {
        let items = updates.map { UpdateItem(name: $0.name, date: $0.day, value: $0.update) }
        return try .batch("attributes/update/", items, isRepeatable: true)
    }
}

private struct UpdateItem: Encodable {
    var name: String
    var date: ExistDay
    var value: AttributeValue
}

extension Endpoint {
    /// A write of up to 35 items. Whatever the status below 500, a body with results is a result.
    fileprivate static func batch<Success, Failure>(
        _ path: String, _ items: [some Encodable], isRepeatable: Bool
    ) throws -> Endpoint where Response == BatchResult<Success, Failure> {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var endpoint = Endpoint(.post, path, body: .json(try encoder.encode(items)), isRepeatable: isRepeatable)
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
