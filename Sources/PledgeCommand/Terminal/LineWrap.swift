extension String {
    /// Returns the text, broken at spaces into lines no wider than `width`; longer words are split, unless they are to
    /// be copied, such as a URL.
    ///
    /// Each character is measured and placed once, so that the cost is linear in the length. A character wider than a
    /// line, such as sixty combined letters, is split between its scalars; a scalar that is still too wide gets its own
    /// line.
    func wrapped(
        to width: Int, splittingWords: Bool = true, measuring measure: (Character) -> Int = \.columns
    ) -> [String] {
        var wrap = LineWrap(width: max(width, 1), splitsWords: splittingWords)
        for character in self {
            let columns = measure(character)
            guard splittingWords, columns > wrap.width else {
                wrap.take(character, columns)
                continue
            }
            for scalar in character.unicodeScalars { wrap.take(Character(scalar), measure(Character(scalar))) }
        }
        return wrap.finish()
    }
}

private struct LineWrap {
    let width: Int
    let splitsWords: Bool
    private var lines: [String] = []
    private var line = (text: "", columns: 0)
    private var word = (text: "", columns: 0)

    init(width: Int, splitsWords: Bool) {
        (self.width, self.splitsWords) = (width, splitsWords)
    }

    mutating func take(_ character: Character, _ columns: Int) {
        if character.utf8.elementsEqual(" ".utf8) {
            endWord()
            return
        }
        if splitsWords, word.columns + columns > width, !word.text.isEmpty {
            // A word wider than any line begins on a new one.
            endLine()
            lines.append(word.text)
            word = ("", 0)
        }
        word.text.append(character)
        word.columns += columns
    }

    mutating func finish() -> [String] {
        endWord()
        endLine()
        return lines
    }

    private mutating func endWord() {
        guard !word.text.isEmpty else { return }
        if !line.text.isEmpty, line.columns + 1 + word.columns <= width {
            line.text += " " + word.text
            line.columns += 1 + word.columns
        } else {
            endLine()
            line = word
        }
        word = ("", 0)
    }

    private mutating func endLine() {
        if !line.text.isEmpty { lines.append(line.text) }
        line = ("", 0)
    }
}
