/// The names of members in snake case: `attachmentID` is `attachment_id`.
package enum SnakeCase {
    /// Returns a member's name in snake case. Capitals in a row are one word, also in the plural: `htmlURLs` is
    /// `html_urls`.
    package static func name(of member: String) -> String {
        let letters = Array(member.unicodeScalars)
        func isUpper(_ index: Int) -> Bool { letters.indices.contains(index) && letters[index].properties.isUppercase }
        func isLower(_ index: Int) -> Bool { letters.indices.contains(index) && letters[index].properties.isLowercase }
        var name = ""
        for (index, letter) in letters.enumerated() {
            guard isUpper(index) else {
                name.unicodeScalars.append(letter)
                continue
            }
            // In capitals, the last begins a word, unless what follows is only the S of a plural.
            let isPlural = letters.indices.contains(index + 1) && letters[index + 1] == "s" && !isLower(index + 2)
            let beginsWord = !isUpper(index - 1) || (isLower(index + 1) && !isPlural)
            if beginsWord, index > 0, letters[index - 1] != "_" { name += "_" }
            name += letter.properties.lowercaseMapping
        }
        return name
    }

    /// Returns the names of the member that a name in snake case may stand for, without and with acronyms in capitals.
    static func members(named name: String) -> [String] {
        let start = name.prefix { $0 == "_" }
        let words = name.dropFirst(start.count).split(separator: "_")
        guard let first = words.first, words.count > 1 else { return [] }
        func joined(_ word: (Substring) -> String) -> String {
            start + first + words.dropFirst().map(word).joined()
        }
        let capitalized = { (word: Substring) in word.prefix(1).uppercased() + word.dropFirst() }
        return [joined(capitalized), joined { acronyms.contains($0) ? $0.uppercased() : capitalized($0) }]
    }

    private static let acronyms: Set<Substring> = [
        "api", "html", "http", "https", "id", "ip", "json", "uri", "url", "uuid", "xml",
    ]

    /// Returns a name without capitals and underscores, except for those at its beginning. Names of one member are
    /// equal in this form, however its words are divided: `address_line_1` and `addressLine1`, `sha_256` and `sha256`.
    static func folded(_ name: String) -> String {
        let start = name.utf8.prefix { $0 == UInt8(ascii: "_") }
        let rest = name.utf8.dropFirst(start.count).filter { $0 != UInt8(ascii: "_") }
        let bytes = Array(start) + rest.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }
}
