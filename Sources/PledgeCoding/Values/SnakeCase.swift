/// The names of members in snake case: `attachmentID` is `attachment_id`. Only ASCII letters have a case here.
package enum SnakeCase {
    /// Returns a member's name in snake case. Capitals in a row are one word, also in the plural: `htmlURLs`,
    /// `html_urls`.
    package static func name(of member: String) -> String {
        let letters = Array(member.utf8)
        func isSmall(_ index: Int) -> Bool {
            letters.indices.contains(index) && UInt8(ascii: "a")...UInt8(ascii: "z") ~= letters[index]
        }
        var name: [UInt8] = []
        for (index, letter) in letters.enumerated() {
            if isCapital(letter), index > 0, letters[index - 1] != underscore {
                // In a row of capitals, the last begins a word, unless what follows is only the S of a plural.
                let isPlural = isSmall(index + 1) && letters[index + 1] == UInt8(ascii: "s") && !isSmall(index + 2)
                if !isCapital(letters[index - 1]) || (isSmall(index + 1) && !isPlural) { name.append(underscore) }
            }
            name.append(isCapital(letter) ? letter | 0x20 : letter)
        }
        return String(decoding: name, as: UTF8.self)
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
        var (folded, hasBegun) = ([UInt8](), false)
        for letter in name.utf8 where letter != underscore || !hasBegun {
            hasBegun = letter != underscore
            folded.append(isCapital(letter) ? letter | 0x20 : letter)
        }
        return String(decoding: folded, as: UTF8.self)
    }

    private static let underscore = UInt8(ascii: "_")

    private static func isCapital(_ letter: UInt8) -> Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= letter }
}
