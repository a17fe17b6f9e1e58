import Foundation
import PledgeHTTP

struct WriteItem: Encodable {
    var name: String
    var date: ExistDay?
    var value: AttributeValue
}

extension Endpoint {
    /// A write of up to 35 items. Whatever the status below 500, a body with results is a result.
    static func batch<Success, Failure>(
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
