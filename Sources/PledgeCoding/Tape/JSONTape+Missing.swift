extension JSONTape {
    /// Returns what is missing in an object: the name that was looked for, and the names that it has instead, of which
    /// there may be any number, of any length.
    func words(forMissing name: String, in object: Int) -> String {
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
}
