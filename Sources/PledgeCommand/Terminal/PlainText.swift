import PledgeCoding

/// Sanitizes untrusted text for display: an escape sequence in a label or note could recolor a terminal, change its
/// window title, or overwrite earlier lines, and an unclosed direction override could reorder the rest of a line.
extension String {
    /// The text without control characters and direction overrides; line breaks and tabs become spaces.
    var withoutControls: String {
        replacingControls(breakingLinesWith: " ")
    }

    /// The text on one line, with single spaces between words and none at the ends.
    var onOneLine: String {
        withoutControls.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The nonempty lines, each sanitized.
    var safeLines: [String] {
        replacingControls(breakingLinesWith: "\n").split(separator: "\n").map(\.description.onOneLine)
            .filter { !$0.isEmpty }
    }

    /// The beginning of the text, for a message about text that may have any length.
    var excerpt: String {
        let start = unicodeScalars.prefix(61)
        return start.count < 61 ? self : String(start.dropLast()) + "…"
    }

    var capitalizedSentence: String {
        guard let first else { return self }
        return first.uppercased() + dropFirst()
    }

    private func replacingControls(breakingLinesWith lineBreak: Unicode.Scalar) -> String {
        var safe = String.UnicodeScalarView()
        // By scalar: CR LF is a single character, and a combining mark may hide an escape character.
        for scalar in unicodeScalars {
            switch scalar {
            case "\n", "\r", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}":
                // One by one: appending a sequence copies the existing content.
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

extension Unicode.Scalar {
    /// Whether the scalar moves, hides, or reverses other text: C0 and C1 controls, line and paragraph separators, and
    /// directional embeddings, overrides, and isolates. Directional marks don't count: they affect only their
    /// neighbors, and right-to-left text needs them.
    var steersDisplay: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
