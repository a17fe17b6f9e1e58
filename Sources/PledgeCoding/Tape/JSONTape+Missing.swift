extension JSONTape {
    /// Returns what is missing for a key: the name that was looked for, and the names that the object has instead, of
    /// which there may be any number, of any length.
    package func words(forMissing key: any CodingKey, at path: [any CodingKey]) -> String {
        let name = style == .snakeCase ? SnakeCase.name(of: key.stringValue) : key.stringValue
        guard let object = object(at: path) else { return "\(name) is missing" }
        let count = memory.token(object).length
        var (shown, length, index) = ([String](), 0, object + 1)
        while shown.count < count, length < 120 {
            let found = text(at: index)
            shown.append("“\(found.unicodeScalars.count > 40 ? "\(String(found.unicodeScalars.prefix(40)))…" : found)”")
            length += shown[shown.count - 1].unicodeScalars.count + 2
            index = memory.next(after: index + 1)
        }
        if count > shown.count { shown.append("\(count - shown.count) more") }
        return "\(name) is missing, " + (shown.isEmpty ? "as the object is empty" : "only \(Self.list(shown)) found")
    }

    private static func list(_ names: [String]) -> String {
        let start = names.dropLast().joined(separator: ", ")
        return (start.isEmpty ? names[0] : "\(start) and \(names[names.count - 1])")
            + (names.count > 1 ? " were" : " was")
    }

    /// Returns the index of the object at a path; nil if there is none.
    private func object(at path: [any CodingKey]) -> Int? {
        var index = 0
        for key in path {
            if let ordinal = key.intValue {
                guard kind(at: index) == .array, ordinal < memory.token(index).length else { return nil }
                index += 1
                for _ in 0..<ordinal { index = memory.next(after: index) }
            } else {
                guard kind(at: index) == .object else { return nil }
                let name = key.stringValue
                let next =
                    value(named: name, in: index) ?? value(named: SnakeCase.name(of: name), in: index)
                    ?? members(of: index).first { SnakeCase.folded($0.name) == SnakeCase.folded(name) }?.value
                guard let next else { return nil }
                index = next
            }
        }
        return kind(at: index) == .object ? index : nil
    }
}
