import Foundation
import PledgeCoding

/// Replaces each value of a JSON text by values of other kinds, and records how each replacement changes the decoded model.
package struct HostileVariants {
    private static let values = [
        "null", "true", "false", "0", "1", "2", "-3", "7.50", "1e3", "1e400", "1e-400", "9223372036854775808",
        "12345678901234567890", #""""#, #""71""#, #""on""#, #""Y""#, #""true""#, #""2024-02-30""#, "[]", "{}", "[null]",
        "[1]", #"{"name":"x"}"#,
    ]

    /// The fields, such as `.results` or `.results[].name`, whose wrong value makes a whole response unreadable.
    package internal(set) var needed: Set<String> = []
    /// The fields whose wrong value makes an item unreadable.
    package internal(set) var neededByItem: Set<String> = []
    /// The silent changes of meaning. A change is silent if a wrong value leads to a decoded value that differs from the wrong
    /// value, from the original value, and from the value that is decoded if the field is missing.
    package private(set) var silentChanges: Set<String> = []
    /// The fields that are an exception to one of these two rules. First, a number can be read in place of a text, unless the text
    /// is a date. Second, a text can be read in place of a number.
    package internal(set) var unusual: Set<String> = []
    private var fields = 0

    /// Decodes the variants of a text: half of them in a developer's run, and all of them if `PLEDGE_EFFORT` is 2 or more.
    mutating func check(_ json: String, _ read: (Data) throws -> ModelReading) throws {
        let original = try read(Data(json.utf8))
        try walk(try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8)), "", { $0 ?? "" }) {
            field, old, text in
            // What decoding returns if the value is left out. If the value is an element of a list, also what decoding returns if
            // the element is null.
            let defaults = [nil, field.hasSuffix("[]") ? "null" : nil].compactMap { try? read(Data(text($0).utf8)) }
            let frame = text("\0").components(separatedBy: "\0")
            fields += 1
            let isDate = if case .string(let text) = old { text.contains(#/^\d{4}-\d\d-\d\d/#) } else { false }
            let other: String? =
                switch old {
                case .string: "7.50"
                case .integer, .number, .decimal: #""71""#
                case .null, .bool, .array, .object: nil
                }
            for (index, value) in Self.values.enumerated() where (index + fields) % Self.step == 0 || value == other {
                let (sent, found) = (Sent(value, insteadOf: old), try? read(Data((frame[0] + value + frame[1]).utf8)))
                if value == other {
                    let isRead = found?.parts.contains { !sent.texts.isDisjoint(with: leaves(of: $0).values) } ?? false
                    if isRead == isDate { unusual.insert(field) }
                }
                guard let found else {
                    needed.insert(field)
                    continue
                }
                if found.unreadable.count > original.unreadable.count { neededByItem.insert(field) }
                for change in Self.changes(from: original, to: found, defaults, sent) {
                    silentChanges.insert("\(field): \(change)")
                }
            }
        }
    }

    private static let step = max(1, 2 / Rounds.count(usual: 1, isSlow: false))

    /// Calls `body` for each value that is nested in `value`. `body` gets a function that returns the whole JSON text with a
    /// replacement for the nested value. If the function is called with nil, it returns the text without that value.
    private func walk(
        _ value: JSONValue, _ field: String, _ text: @escaping (String?) -> String,
        _ body: (String, JSONValue, (String?) -> String) throws -> Void
    ) throws {
        if !field.isEmpty { try body(field, value, text) }
        switch value {
        case .array(let items):
            let texts = items.map(Self.json)
            for (index, item) in items.enumerated() {
                func list(_ new: String?) -> String {
                    let all = texts[..<index] + (new.map { [$0] } ?? []) + texts[(index + 1)...]
                    return text("[\(all.joined(separator: ","))]")
                }
                try walk(item, field + "[]", list, body)
            }
        case .object(let members):
            let texts = members.mapValues(Self.json)
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                func object(_ new: String?) -> String {
                    var texts = texts
                    texts[name] = new
                    return text("{\(texts.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}")
                }
                try walk(member, "\(field).\(name)", object, body)
            }
        default: break
        }
    }

    private static func json(_ value: JSONValue) -> String {
        (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}

// MARK: - What changed

extension HostileVariants {
    /// The forms in which a value that was sent may be found in a model.
    private struct Sent {
        var texts: Set<String> = []
        /// Whether a list was sent in place of a list or null, or an object in place of an object or null. The elements may
        /// then be different.
        var isOfSameKind = false

        init(_ json: String, insteadOf old: JSONValue) {
            texts.insert(json)
            let value = try? JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
            if let value { texts.formUnion(leaves(of: value).values) }
            if case .decimal(let number)? = value { texts.insert(leaf(Double("\(number)") ?? 0)) }
            // A Boolean value may also have been sent as a number.
            for names in [["true", "1"], ["false", "0"]] where !texts.isDisjoint(with: names) { texts.formUnion(names) }
            switch (old, value) {
            case (.array, .array), (.object, .object), (.null, .array), (.null, .object): isOfSameKind = true
            default: break
            }
        }
    }

    private static func changes(
        from original: ModelReading, to found: ModelReading, _ defaults: [ModelReading], _ sent: Sent
    ) -> [String] {
        let (old, new) = (original.parts, found.parts)
        if defaults.contains(where: found.hasParts) { return [] }
        let same = zip(old, new).prefix(while: ModelReading.isSame).count
        let lost = found.unreadable.count - original.unreadable.count
        if old.count != new.count {
            // One item may be missing because it was unreadable.
            let isOne =
                lost == 1 && old.count == new.count + 1
                && zip(old[(same + 1)...], new[same...]).allSatisfy(ModelReading.isSame)
            return isOne || sent.isOfSameKind ? [] : ["\(new.count) items"]
        }
        return old.indices.flatMap { index -> [String] in
            guard index >= same, !ModelReading.isSame(old[index], new[index]), !sent.isOfSameKind else { return [] }
            let (before, after) = (leaves(of: old[index]), leaves(of: new[index]))
            let expected =
                [before] + defaults.filter { $0.parts.count == old.count }.map { leaves(of: $0.parts[index]) }
            return Set(before.keys).union(after.keys).compactMap { path in
                let value = after[path]
                let isExpected = expected.contains { $0[path] == value } || value.map(sent.texts.contains) ?? false
                return isExpected ? nil : "\(path) is \(value ?? "gone")"
            }
        }
    }
}
