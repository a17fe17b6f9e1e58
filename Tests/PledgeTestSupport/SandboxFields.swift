import Foundation
import PledgeCoding
import Testing

/// A request to a sandbox, written as `POST /path body`, and how models are read from its response.
package typealias FieldRequest = (line: String, read: (String) throws -> [(model: Any, sent: JSONValue)])

/// Expects that the models of a kit and the responses of its sandbox agree:
///
/// - Each field that the sandbox sends is read and encoded again, except those in `notRead`.
/// - Each property of a model is sent, except those in `notSent`.
/// - Each of the `routes`, and no other, is requested successfully.
package func checkFields(
    of module: String, at url: URL, as tokens: [String], _ requests: [FieldRequest], notRead: Set<String> = [],
    notSent: Set<String>, routes: [String]
) throws {
    var (sent, read, requested, models) = (Set<String>(), Set<String>(), Set<String>(), EncodedModels(of: module))
    for request in requests {
        for token in tokens {
            guard let response = try response(of: url, to: request.line, as: token), response.status < 300 else {
                continue
            }
            requested.insert(String(request.line.replacing(#/[?].*| [\[{].*/#, with: "")))
            for (model, json) in try request.read(response.body) {
                models.count(model)
                var (values, items) = ([model], [json])
                if let list = model as? [Any], case .array(let all) = json { (values, items) = (list, all) }
                for case (let value as any Encodable, let item) in zip(values, items) {
                    let encoded = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
                    sent.formUnion(item.names.map { "\(type(of: value)).\($0)" })
                    read.formUnion(encoded.names.map { "\(type(of: value)).\($0)" })
                }
            }
        }
    }
    #expect(sent.subtracting(read).symmetricDifference(notRead) == [], "what is sent, but not read")
    #expect(models.unset.symmetricDifference(notSent) == [], "properties that are never sent")
    #expect(requested.symmetricDifference(routes) == [], "routes without a request that succeeds, or the reverse")
}

/// Returns the names of the parameters that a sandbox ignores in requests for a list. To find them, this function adds each
/// parameter to the first request, and removes it from every request that contains it. The parameter is ignored if the sandbox
/// sends the same items with and without it each time.
package func ignoredParameters(of requests: [String], at url: URL, as token: String) throws -> Set<String> {
    let queries = requests.map { $0.split(separator: "?")[1].split(separator: "&") }
    func items(_ query: [Substring]) throws -> [JSONValue] {
        let line = "\(requests[0].prefix { $0 != "?" })?\(query.joined(separator: "&"))"
        let body = Data(try response(of: url, to: line, as: token)?.body.utf8 ?? "".utf8)
        guard case .object(let members) = try JSONDecoder().decode(JSONValue.self, from: body) else { return [] }
        // Compares only the lists, because links to other pages contain the whole query.
        return members.values.filter { if case .array = $0 { true } else { false } }
    }
    let plain = try items(queries[0])
    var matters: [String: Bool] = [:]
    for query in queries {
        for item in query where !queries[0].contains(item) {
            let name = String(item.prefix { $0 != "=" })
            func others(_ query: [Substring]) -> [Substring] { query.filter { !$0.hasPrefix("\(name)=") } }
            let differs = try items(others(queries[0]) + [item]) != plain || items(query) != items(others(query))
            matters[name] = matters[name] == true || differs
        }
    }
    return Set(matters.filter { !$1 }.keys)
}

/// Sends a request that is written as in `FieldRequest`, and returns the response.
package func response(of url: URL, to line: String, as token: String) throws -> ResponseBytes? {
    let words = line.split(separator: " ", maxSplits: 2)
    let body = words.count > 2 ? words[2] : ""
    let head = "\(words[0]) \(words[1]) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
    return try RawClient(url).ask("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
}

extension JSONValue {
    /// The paths of all members that have a value, such as `group.label`. The items of a list have the same paths.
    package var names: Set<String> {
        if case .array(let items) = self { return Set(items.flatMap(\.names)) }
        guard case .object(let members) = self else { return [] }
        return members.filter { ![.null, .string("")].contains($1) }.reduce(into: []) { all, member in
            all.formUnion([member.key] + member.value.names.map { "\(member.key).\($0)" })
        }
    }
}
