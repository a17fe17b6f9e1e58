import Foundation

/// Text for terminals that show only ASCII, such as with `LC_ALL=C`.
extension String {
    /// The text in ASCII with its width unchanged, except that “…” becomes three periods.
    var inASCII: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        return reduce(into: "") { text, character in
            if character.isASCII {
                // CR LF is a single character.
                text.unicodeScalars.append(contentsOf: character.unicodeScalars)
            } else if let plain = Self.plain[character] {
                text += plain
            } else {
                let base = character.columns == 1 ? String(character).decomposedStringWithCanonicalMapping : ""
                let letter = base.unicodeScalars.first.flatMap { $0.isASCII ? String($0) : nil }
                text += letter ?? String(repeating: "?", count: character.columns)
            }
        }
    }

    private static let plain: [Character: String] = [
        "“": "\"", "”": "\"", "„": "\"", "‘": "'", "’": "'", "–": "-", "—": "-", "−": "-", "…": "...", "×": "x",
        "·": ".",
        "°": " ", "●": "#", "○": "-", "▁": "1", "▂": "2", "▃": "3", "▄": "4", "▅": "5", "▆": "6", "▇": "7", "█": "8",
        "→": ">", "\u{A0}": " ",
    ]
}
