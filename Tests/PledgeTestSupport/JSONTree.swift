import Foundation
import PledgeCoding

/// A JSON value that can be changed at random, with duplicate names, and written in many ways.
package indirect enum JSONTree {
    case scalar(String)
    case list([JSONTree])
    case object([(name: String, value: JSONTree)])

    package init(_ json: String) throws { self.init(try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))) }

    private init(_ value: JSONValue) {
        switch value {
        case .array(let items): self = .list(items.map { JSONTree($0) })
        case .object(let members):
            self = .object(members.sorted { $0.key < $1.key }.map { ($0.key, JSONTree($0.value)) })
        case .null, .bool, .integer, .number, .decimal, .string:
            let text = try? JSONEncoder().encode(value)
            self = .scalar(text.map { String(decoding: $0, as: UTF8.self) } ?? "null")
        }
    }

    private static let scalars = [
        "null", "true", "false", "0", "1", "7", "-3", "7.5", "4174.0", "1e3", "1e400", "9223372036854775808", #""""#,
        #""7""#, #""true""#, #""2024-02-30""#, #""2024-02-29""#, #""2024-03-02T06:05:11.5+01:00""#,
        #""2024-03-02T24:05:11Z""#, #""2024-03-02T06:05:11""#, #""\u00e9\uD83E\uDEB4\n""#, "[]", "{}", "[[1]]",
        #"{"name": "x"}"#,
    ]

    /// Returns a copy with one random change.
    package func changed(_ generator: inout SeededGenerator) -> JSONTree {
        // A deeper change is more likely, because there is more content there.
        let isHere = Int.random(in: 0..<5, using: &generator) == 0
        switch self {
        case .list(let items) where !items.isEmpty && !isHere:
            var items = items
            let place = Int.random(in: 0..<items.count, using: &generator)
            items[place] = items[place].changed(&generator)
            return .list(items)
        case .object(let members) where !members.isEmpty:
            var members = members
            let place = Int.random(in: 0..<members.count, using: &generator)
            switch isHere ? Int.random(in: 0..<3, using: &generator) : 3 {
            case 0: members.remove(at: place)
            case 1:
                let other = JSONTree.scalar(Self.scalars.randomElement(using: &generator) ?? "0")
                members.insert((members[place].name, other), at: Int.random(in: 0...members.count, using: &generator))
            case 2: members.shuffle(using: &generator)
            default: members[place].value = members[place].value.changed(&generator)
            }
            return .object(members)
        case .scalar, .list, .object: return .scalar(Self.scalars.randomElement(using: &generator) ?? "0")
        }
    }

    /// Returns the JSON text, with occasional white space, and escapes in names.
    package func text(_ generator: inout SeededGenerator) -> String {
        let space = Int.random(in: 0..<6, using: &generator) == 0 ? " \n" : ""
        switch self {
        case .scalar(let text): return space + text
        case .list(let items): return "[\(items.map { $0.text(&generator) }.joined(separator: ","))\(space)]"
        case .object(let members):
            let texts = members.map { name, value in
                let first = name.unicodeScalars.first.map { String(format: "\\u%04x", $0.value) } ?? ""
                let isEscaped = name.utf8.count > 1 && Int.random(in: 0..<30, using: &generator) == 0
                let written = isEscaped ? first + name.dropFirst() : name
                return "\(space)\"\(written)\"\(space):\(value.text(&generator))"
            }
            return "{\(texts.joined(separator: ","))\(space)}"
        }
    }
}
