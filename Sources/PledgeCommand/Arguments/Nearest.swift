/// A search for the known word that a misspelled one resembles.
enum Nearest {
    /// Returns ` Did you mean “--json”?`, with a leading space; empty if no word is similar enough.
    static func hint(to word: String, among known: [String]) -> String {
        find(word, among: known).map { " Did you mean “\($0)”?" } ?? ""
    }

    /// Returns the known word at the smallest edit distance (a wrong letter counts twice); nil if none is similar.
    static func find(_ word: String, among known: [String]) -> String? {
        // A very long word is no misspelling, and the comparison takes the product of both lengths.
        guard word.utf8.count <= 64 else { return nil }
        // The opposite of an option is no misspelling of it.
        guard !word.hasPrefix("--no-") else { return nil }
        let typed = Array(word.lowercased().utf8)
        let letters = typed.count { $0 != UInt8(ascii: "-") }
        let near = known.map { (word: $0, changes: Array($0.lowercased().utf8).difference(from: typed).count) }
            .min { $0.changes < $1.changes }
        if let near, near.changes <= (letters <= 4 ? 2 : max(3, letters / 2)) { return near.word }
        // An abbreviation counts, too, such as --data for --database.
        return letters >= 3 ? known.first { $0.hasPrefix(word) } : nil
    }
}
