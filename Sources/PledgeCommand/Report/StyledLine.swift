/// A line of terminal output: pieces of text with a style each.
///
/// Text is made safe on its way in and styles become escape sequences only on the way out, so that no sequence in the
/// output can have come from anywhere else.
struct StyledLine {
    /// What a piece of text is, rather than what it looks like.
    enum Style {
        case plain, heading, faint, chart, warning

        fileprivate var code: String? {
            switch self {
            case .plain: nil
            case .heading: "1"
            case .faint: "2"
            case .chart: "36"
            case .warning: "33"
            }
        }
    }

    private var pieces: [(text: String, style: Style)] = []

    init() {}

    init(_ text: String, as style: Style = .plain) {
        append(text, as: style)
    }

    mutating func append(_ text: String, as style: Style = .plain) {
        guard !text.isEmpty else { return }
        pieces.append((text.withoutControls, style))
    }

    static func + (left: StyledLine, right: StyledLine) -> StyledLine {
        var line = left
        line.pieces += right.pieces
        return line
    }

    /// The line cut off at `width` columns, without trailing spaces; with colours if `color` is true.
    func rendered(width: Int, color: Bool) -> String {
        var fitting = pieces(within: width)
        while let last = fitting.last, last.text.allSatisfy({ $0 == " " }) { fitting.removeLast() }
        guard color else {
            var text = fitting.map(\.text).joined()
            while text.last == " " { text.removeLast() }
            return text
        }
        return fitting.map { piece in
            guard let code = piece.style.code else { return piece.text }
            return "\u{1B}[\(code)m\(piece.text)\u{1B}[0m"
        }
        .joined()
    }

    private func pieces(within width: Int) -> [(text: String, style: Style)] {
        var fitting: [(text: String, style: Style)] = []
        var used = 0
        for piece in pieces {
            let text = piece.text.truncated(to: width - used)
            fitting.append((text, piece.style))
            guard text == piece.text else { break }
            used += text.columns
        }
        return fitting
    }
}
