/// Markup in which everything interpolated is escaped.
///
/// `let row: HTML = "<td>\(label)</td>"` cannot let a label's `<script>` through, because only other `HTML` values and
/// literals are taken as markup: forgetting to escape is not a mistake one can make.
struct HTML: ExpressibleByStringInterpolation, Equatable {
    let source: String

    init(stringLiteral source: String) {
        self.source = source
    }

    init(stringInterpolation: StringInterpolation) {
        source = stringInterpolation.source
    }

    /// Builds markup piece by piece, escaping text on the way.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var source = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            source.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        mutating func appendLiteral(_ literal: String) {
            source += literal
        }

        /// Text from anywhere, on one line, safe in elements and in quoted attributes.
        mutating func appendInterpolation(_ text: String) {
            source += HTML.escaping(text.onOneLine)
        }

        /// Text whose line breaks are kept as `<br>`.
        mutating func appendInterpolation(lines text: String) {
            source += text.safeLines.map(HTML.escaping).joined(separator: "<br>")
        }

        mutating func appendInterpolation(_ number: Int) {
            source += String(number)
        }

        /// A length in a drawing, to a tenth of a unit.
        mutating func appendInterpolation(_ length: Double) {
            let tenths = (length * 10).rounded() / 10
            source += Int(exactly: tenths).map(String.init) ?? String(tenths)
        }

        mutating func appendInterpolation(_ markup: HTML) {
            source += markup.source
        }

        /// Nothing, where there is no markup.
        mutating func appendInterpolation(_ markup: HTML?) {
            source += markup?.source ?? ""
        }

        /// One piece of markup a line.
        mutating func appendInterpolation(_ markup: [HTML]) {
            source += markup.map(\.source).joined(separator: "\n")
        }
    }

    private static func escaping(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
