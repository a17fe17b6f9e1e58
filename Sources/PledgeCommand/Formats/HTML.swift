import Foundation

/// HTML markup. Text that is interpolated into it is escaped.
///
/// In `let row: HTML = "<td>\(label)</td>"`, only the literal and other `HTML` values are inserted as markup. All other
/// text is escaped, so callers can't forget to escape a `<script>` in a label.
struct HTML: ExpressibleByStringInterpolation, Equatable {
    let source: String

    init(stringLiteral source: String) {
        self.source = source
    }

    init(stringInterpolation: StringInterpolation) {
        source = stringInterpolation.source
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var source = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            source.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        mutating func appendLiteral(_ literal: String) {
            source += literal
        }

        /// Appends untrusted text, with its line breaks replaced by spaces. The escaped text is safe inside elements
        /// and quoted attributes.
        mutating func appendInterpolation(_ text: String) {
            source += HTML.escaping(text.onOneLine)
        }

        /// Appends untrusted text, with a `<br>` for each of its line breaks.
        mutating func appendInterpolation(lines text: String) {
            source += text.safeLines.map(HTML.escaping).joined(separator: "<br>")
        }

        /// Appends a phrase with nonbreaking spaces, so that a browser shows it on one line if the line is wide enough.
        mutating func appendInterpolation(unbroken text: String) {
            source += HTML.escaping(text.onOneLine).replacingOccurrences(of: " ", with: "&nbsp;")
        }

        mutating func appendInterpolation(_ number: Int) {
            source += String(number)
        }

        /// Appends a length or coordinate of a drawing, rounded to one decimal place.
        mutating func appendInterpolation(_ length: Double) {
            let tenths = (length * 10).rounded() / 10
            source += Int(exactly: tenths).map(String.init) ?? String(tenths)
        }

        mutating func appendInterpolation(_ markup: HTML?) {
            source += markup?.source ?? ""
        }

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
