import Foundation

/// The requested language as an HTTP language tag, such as `sv-SE`.
enum LanguageTag {
    static var current: String { make(from: Locale.current.identifier) }

    /// Returns the language, or else `en`, and region of a locale such as `sv_SE`, `zh-Hans_CN` or
    /// `en_US@calendar=buddhist`.
    static func make(from identifier: String) -> String {
        let parts = identifier.prefix { $0 != "@" && $0 != "." }.split { $0 == "_" || $0 == "-" }.map(String.init)
        let language = parts.first.map { $0.lowercased() } ?? ""
        let isLanguage = 2...3 ~= language.utf8.count && language.utf8.allSatisfy { 97...122 ~= $0 }
        let region = parts.dropFirst().last { part in
            let bytes = part.utf8
            return (bytes.count == 2 && bytes.allSatisfy { 65...90 ~= $0 })
                || (bytes.count == 3 && bytes.allSatisfy { 48...57 ~= $0 })
        }
        return (isLanguage ? language : "en") + (region.map { "-\($0)" } ?? "")
    }

    /// Returns a tag that is safe in a header or an attribute, with only ASCII letters, digits and hyphens.
    static func tidy(_ tag: String) -> String {
        tag.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }
}
