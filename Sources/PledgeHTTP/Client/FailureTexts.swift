import PledgeCoding

/// The texts in the JSON of a failed response.
package struct FailureTexts: Sendable {
    private let json: JSONValue

    /// Fails if the response is not JSON.
    package init?(_ response: RawResponse) {
        guard let json = try? response.json(JSONValue.self) else { return nil }
        self.json = json
    }

    private var members: [String: JSONValue] { if case .object(let members) = json { members } else { [:] } }

    /// The text, if the JSON is a single string.
    var text: String? { if case .string(let text) = json { text } else { nil } }

    /// The text under a name.
    package subscript(name: String) -> String? {
        members[name].flatMap { Self.texts($0, under: name)?.joined(separator: " ") }
    }

    /// The service's messages about fields of the request. A single word under a secret's name is taken to be the
    /// secret.
    var complaints: String? {
        let fields = members.sorted { $0.key < $1.key }.compactMap { name, value -> String? in
            guard case .array = value, let texts = Self.texts(value, under: name) else { return nil }
            let shown = SecretName.matches(name) ? texts.map { $0.contains(" ") ? $0 : "…" } : texts
            return "\(name): \(shown.joined(separator: " "))"
        }
        return fields.isEmpty ? nil : fields.joined(separator: "; ")
    }

    /// Returns a string, or a list that holds only strings; nil for anything else. Under the name of an error, an
    /// object counts as its message: `{"error": {"message": "No."}}`.
    private static func texts(_ value: JSONValue, under name: String) -> [String]? {
        switch value {
        case .string(let text): return [text]
        case .object(let members) where name == "error" || name == "errors":
            for key in ["message", "detail", "title"] {
                if case .string(let text)? = members[key] { return [text] }
            }
            return nil
        case .array(let items):
            let texts = items.compactMap { item -> String? in
                if case .array = item { return nil }
                return Self.texts(item, under: name)?.first
            }
            return texts.isEmpty || texts.count < items.count ? nil : texts
        default: return nil
        }
    }
}
