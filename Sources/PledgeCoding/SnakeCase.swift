/// Converts between the names of members in Swift and in snake case, such as `attachmentID` and `attachment_id`. Only
/// ASCII letters count as capitals or small letters.
package enum SnakeCase {
    /// Returns a member's name in snake case. Several capitals in a row are one word, together with the “s” of a
    /// plural: `htmlURLs` becomes `html_urls`.
    package static func name(of member: String) -> String {
        let letters = Array(member.utf8)
        func isSmall(_ index: Int) -> Bool {
            letters.indices.contains(index) && UInt8(ascii: "a")...UInt8(ascii: "z") ~= letters[index]
        }
        var name: [UInt8] = []
        for (index, letter) in letters.enumerated() {
            if isCapital(letter), index > 0, letters[index - 1] != underscore {
                // In a row of capitals, the last one begins the next word if a small letter follows it. The exception
                // is a single “s”, which makes the row of capitals a plural.
                let isPlural = isSmall(index + 1) && letters[index + 1] == UInt8(ascii: "s") && !isSmall(index + 2)
                if !isCapital(letters[index - 1]) || (isSmall(index + 1) && !isPlural) { name.append(underscore) }
            }
            name.append(isCapital(letter) ? letter | 0x20 : letter)
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Returns the names in Swift that a name in snake case may stand for. For `attachment_id`, these are
    /// `attachmentId` and `attachmentID`, because acronyms may be written in capitals or not.
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

    /// Returns a name in small letters and without underscores, except for underscores at its beginning. The result
    /// does not depend on how the name is divided into words. For example, it is the same for `address_line_1` and
    /// `addressLine1`. It is also the same for `sha_256` and `sha256`.
    static func folded(_ name: String) -> String {
        var folded = [UInt8]()
        var hasBegun = false
        for letter in name.utf8 where letter != underscore || !hasBegun {
            hasBegun = letter != underscore
            folded.append(isCapital(letter) ? letter | 0x20 : letter)
        }
        return String(decoding: folded, as: UTF8.self)
    }

    private static let underscore = UInt8(ascii: "_")

    private static func isCapital(_ letter: UInt8) -> Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= letter }
}
