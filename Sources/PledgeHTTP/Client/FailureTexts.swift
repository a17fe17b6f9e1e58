import PledgeCoding

/// The texts in the JSON of a failed response.
///
/// Names are compared by their bytes: with characters a service could choose, a `Dictionary` could take minutes.
package struct FailureTexts: Readable {
    /// The text, if the JSON is a single string.
    let text: String?
    private let members: [(name: ExactText, texts: [String], isList: Bool)]

    @usableFromInline package init<Source>(reading source: Source) throws(Source.Failure) where Source: ValueSource {
        var members: [(name: ExactText, texts: [String], isList: Bool)] = []
        if source.kind == .object {
            try source.fields().forEach { (name, value) throws(Source.Failure) in
                let isNested = name == "error" || name == "errors"
                guard let texts = try Self.texts(value, isNested: isNested) else { return }
                members.append((ExactText(name), texts, value.kind == .list))
            }
        }
        text = source.kind == .text ? try source.text() : nil
        self.members = members
    }

    /// Returns a string, or a list that holds only strings; nil for anything else.
    ///
    /// - Parameter isNested: Whether an object counts as its message: `{"error": {"message": "No."}}`.
    private static func texts<Source: ValueSource>(
        _ value: Source, isNested: Bool
    ) throws(Source.Failure) -> [String]? {
        if value.kind == .text { return [try value.text()] }
        if isNested, let text = try message(value) { return [text] }
        guard value.kind == .list else { return nil }
        var (texts, isAll) = ([String](), true)
        try value.forEach { (_, item) throws(Source.Failure) in
            if item.kind == .text {
                texts.append(try item.text())
            } else if isNested, let text = try message(item) {
                texts.append(text)
            } else {
                isAll = false
            }
        }
        return isAll && !texts.isEmpty ? texts : nil
    }

    /// Returns the message of an error that is an object.
    private static func message<Source: ValueSource>(_ error: Source) throws(Source.Failure) -> String? {
        guard error.kind == .object else { return nil }
        var fields = try error.fields()
        for name in ["message", "detail", "title"] as [StaticString] {
            if let text = fields.present(name), text.kind == .text { return try text.text() }
        }
        return nil
    }

    /// The text under a name.
    package subscript(name: String) -> String? {
        members.first { $0.name == ExactText(name) }?.texts.joined(separator: " ")
    }

    /// The service's messages about individual fields of the request. A single word under the name of a secret is taken
    /// to be the secret.
    var complaints: String? {
        let fields = members.filter(\.isList).sorted { $0.name < $1.name }.map { name, texts, _ in
            let shown = SecretName.matches(name.text) ? texts.map { $0.contains(" ") ? $0 : "…" } : texts
            return "\(name.text): \(shown.joined(separator: " "))"
        }
        return fields.isEmpty ? nil : fields.joined(separator: "; ")
    }
}
