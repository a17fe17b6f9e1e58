import PledgeCoding

/// Making text from the service safe to put on a screen.
///
/// Labels and notes are written by people and by apps: an escape sequence among them could recolour a terminal, retitle
/// its window or overwrite lines already shown, and an unclosed text-direction override could reorder the rest of one.
extension String {
    /// The text without control characters and direction overrides; line breaks and tabs become spaces.
    var withoutControls: String {
        replacingControls(breakingLinesWith: " ")
    }

    /// The text on one line, with single spaces and none at the ends.
    var onOneLine: String {
        withoutControls.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The lines of the text that say something, each made safe.
    var safeLines: [String] {
        replacingControls(breakingLinesWith: "\n").split(separator: "\n").map(\.description.onOneLine)
            .filter { !$0.isEmpty }
    }

    /// The text beginning with a capital letter.
    var capitalizedSentence: String {
        guard let first else { return self }
        return first.uppercased() + dropFirst()
    }

    private func replacingControls(breakingLinesWith lineBreak: Unicode.Scalar) -> String {
        var safe = String.UnicodeScalarView()
        // Scalars rather than characters: CR LF is a single character, and an escape may hide behind a combining mark.
        for scalar in unicodeScalars {
            switch scalar {
            case "\n", "\r", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}":
                // One at a time: appending a sequence moves all that is there already.
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
    /// Whether it moves, hides or turns round other text instead of showing something: the controls of C0 and C1, the
    /// line and paragraph separators, and embeddings, overrides and isolates of direction. Marks of direction are none
    /// of these: they reach no further than their neighbours, and right-to-left text needs them.
    var steersDisplay: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
