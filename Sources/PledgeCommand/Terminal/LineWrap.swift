extension String {
    /// Returns the text, broken at spaces into lines no wider than `width`; longer words are split, unless they are to
    /// be copied, such as a URL.
    ///
    /// Each character is measured once, so that the cost is linear in the length. A character wider than a
    /// line, such as sixty combined letters, is split between its scalars; a scalar that is still too wide gets its own
    /// line.
    func wrapped(to width: Int, splittingWords: Bool = true) -> [String] {
        let width = max(width, 1)
        var (lines, used) = ([String](), 0)
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
