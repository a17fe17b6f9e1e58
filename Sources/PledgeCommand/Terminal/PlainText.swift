import Foundation
import Pledge
import PledgeCoding

/// Makes untrusted text safe to display.
///
/// An escape sequence in a label or note could change a terminal's colors or window title, or overwrite earlier lines.
/// A direction override that isn't closed could reorder the rest of a line.
extension String {
    /// The text without control characters and direction overrides. Line breaks and tabs become spaces.
    var withoutControls: String {
        replacingControls(breakingLinesWith: " ")
    }

    /// The text on one line, without control characters. There are single spaces between words, and no spaces at the
    /// ends.
    var onOneLine: String {
        withoutControls.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The lines of the text that aren't empty, each without control characters.
    var safeLines: [String] {
        replacingControls(breakingLinesWith: "\n").split(separator: "\n").map(\.description.onOneLine)
            .filter { !$0.isEmpty }
    }

    /// The beginning of the text, for a message that quotes a text of any length. It has at most 60 characters and 240
    /// bytes, because a single character can have any number of scalars.
    var excerpt: String {
        var kept = prefix(60)
        while kept.utf8.count > 240 { kept.removeLast() }
        return kept.endIndex == endIndex ? self : kept + "…"
    }

    var capitalizedSentence: String {
        guard let first else { return self }
        return first.uppercased() + dropFirst()
    }

    private func replacingControls(breakingLinesWith lineBreak: Unicode.Scalar) -> String {
        var safe = String.UnicodeScalarView()
        // This loop looks at scalars, because a `Character` can hide a control character: CR LF is a single
        // `Character`, and an escape character can be combined with a mark that follows it.
        for scalar in unicodeScalars {
            switch scalar {
            case "\n", "\r", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}":
                // The scalar is appended on its own. Appending a sequence would copy the text that is already there.
                safe.append(lineBreak)
            case "\t":
                safe.append(" ")
            default:
                if !scalar.steersDisplay { safe.append(scalar) }
            }
        }
        return streamSafe(String(safe))
    }
}

/// Text for terminals that can show only ASCII, for example because of `LC_ALL=C`.
extension String {
    /// The text with every character that isn't ASCII replaced by ASCII. The result is as wide as the original, except
    /// that “…” becomes three periods.
    var inASCII: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        return reduce(into: "") { text, character in
            if character.isASCII {
                // CR LF is a single `Character`, but consists of two scalars.
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

/// The width of text in terminal columns. A terminal shows Chinese, Japanese, and Korean characters and emoji in two
/// columns, and combining marks in none. If characters were counted instead, the columns of a table wouldn't be
/// aligned.
extension String {
    var columns: Int { reduce(0) { $0 + $1.columns } }

    func padded(to width: Int) -> String { self + spaces(to: width) }

    func rightAligned(to width: Int) -> String { spaces(to: width) + self }

    private func spaces(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - columns))
    }
}

extension Character {
    /// The number of terminal columns that the character takes. An emoji takes two, no matter how many scalars it
    /// consists of. Any other character takes the sum of its scalars' columns.
    var columns: Int {
        let isEmoji = unicodeScalars.contains { $0 == "\u{FE0F}" || $0.properties.isEmojiPresentation }
        return isEmoji ? 2 : unicodeScalars.reduce(0) { $0 + $1.columns }
    }
}

extension Unicode.Scalar {
    fileprivate var columns: Int {
        switch properties.generalCategory {
        case .control, .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch value {
        case 0x1160...0x11FF: return 0  // Hangul vowels and final consonants join the syllable before them.
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
            0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}

extension String {
    /// Returns the lines of the text after breaking it at spaces, so that no line is wider than `width`.
    ///
    /// A word that is wider than a line is split. Set `splittingWords` to false if the text has words that users copy,
    /// such as a URL. These words then stay whole, even if they are too wide.
    ///
    /// When words are split, a character that is wider than a line, such as sixty combined letters, is split between
    /// its scalars. A scalar that is still too wide gets its own line. Each character is measured only once, so that
    /// the time is proportional to the length of the text.
    func wrapped(to width: Int, splittingWords: Bool = true) -> [String] {
        let width = max(width, 1)
        var lines = [String]()
        var used = 0
        func begin() {
            lines.append("")
            used = 0
        }
        for word in split(whereSeparator: { $0.utf8.elementsEqual(" ".utf8) }) {
            let sizes = word.map(\.columns)
            if !lines.isEmpty, used + 1 + sizes.reduce(0, +) <= width {
                lines[lines.count - 1] += " " + word
                used += 1 + sizes.reduce(0, +)
                continue
            }
            begin()
            for (character, size) in zip(word, sizes) {
                let isSplit = splittingWords && size > width
                for part in isSplit ? character.unicodeScalars.map(Character.init) : [character] {
                    let size = isSplit ? part.columns : size
                    if splittingWords, used > 0, used + size > width { begin() }
                    lines[lines.count - 1].append(part)
                    used += size
                }
            }
        }
        return lines
    }
}
