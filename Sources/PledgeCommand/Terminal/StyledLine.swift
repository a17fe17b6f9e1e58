/// A line of terminal output in styled pieces.
///
/// Appended text is sanitized, and only styles become escape sequences, so that the output contains no others.
struct StyledLine {
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

    /// Returns the line without trailing spaces.
    func rendered(color: Bool) -> String {
        var shown = pieces
        while let last = shown.popLast() {
            guard let end = last.text.lastIndex(where: { $0 != " " }) else { continue }
            shown.append((String(last.text[...end]), last.style))
            break
        }
        return shown.map { piece in
            let code = color ? piece.style.code : nil
            return code.map { "\u{1B}[\($0)m\(piece.text)\u{1B}[0m" } ?? piece.text
        }.joined()
    }

    /// Returns the text, wrapped to `width` in lines that begin with `margin`.
    static func wrapping(_ text: String, to width: Int, after margin: String = "", as style: Style = .plain) -> [Self] {
        text.wrapped(to: width - margin.count).map { StyledLine(margin + $0, as: style) }
    }
}
