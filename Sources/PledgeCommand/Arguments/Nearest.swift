/// A search for the word that the user may have meant.
enum Nearest {
    /// Returns ` Did you mean “--json”?`, with a leading space; empty if no word is similar enough.
    static func hint(to word: String, among known: [String]) -> String {
        find(word, among: known).map { " Did you mean “\($0)”?" } ?? ""
    }

    /// Returns the known word with the fewest letters wrong, missing, added, or swapped; nil if none is similar enough.
    static func find(_ word: String, among known: [String]) -> String? {
        // A very long word is no misspelling of a known one, and the comparison takes the product of both lengths.
        guard word.utf8.count <= 64 else { return nil }
        let typed = Array(word.lowercased().utf8)
        let letters = typed.count { $0 != UInt8(ascii: "-") }
        let tolerance = letters <= 4 ? 1 : max(2, letters / 3)
        let near = known.map { (word: $0, distance: distance(typed, Array($0.lowercased().utf8))) }
            .min { $0.distance < $1.distance }
        if let near, near.distance <= tolerance { return near.word }
        // The beginning of a known word counts, too, such as --data for --database.
        return letters >= 3 ? known.first { $0.hasPrefix(word) } : nil
    }

    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var before: [Int] = []
        var last = Array(0...other.count)
        for (row, letter) in one.enumerated() {
            var line = [row + 1]
            for (column, wanted) in other.enumerated() {
                var cost = min(last[column] + (letter == wanted ? 0 : 1), last[column + 1] + 1, line[column] + 1)
                if row > 0, column > 0, letter == other[column - 1], one[row - 1] == wanted {
                    cost = min(cost, before[column - 1] + 1)
                }
                line.append(cost)
            }
            (before, last) = (last, line)
        }
        return last[other.count]
    }
}
