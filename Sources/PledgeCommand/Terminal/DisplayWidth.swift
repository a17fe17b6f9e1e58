/// Text measured in terminal columns. Terminals show CJK and emoji in two columns and combining marks in none, so that
/// counting characters would misalign columns.
extension String {
    var columns: Int { reduce(0) { $0 + $1.columns } }

    func padded(to width: Int) -> String { self + spaces(to: width) }

    func rightAligned(to width: Int) -> String { spaces(to: width) + self }

    private func spaces(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - columns))
    }
}

extension Character {
    /// The number of columns: 2 for an emoji of any number of scalars, otherwise the sum over the scalars.
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
        case 0x1160...0x11FF: return 0  // Hangul vowels and finals join the syllable before them.
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
            0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
