import Foundation

/// The requested language as an HTTP language tag, such as `sv-SE`.
enum LanguageTag {
    static var current: String { make(from: Locale.current.identifier) }

    /// Returns the language, or else `en`, and region of a locale such as `sv_SE`, `zh-Hans_CN` or
    /// `en_US@calendar=buddhist`.
    static func make(from identifier: String) -> String {
        let locale = Locale(identifier: identifier)
        // A server's locale may be “C”.
        let language = locale.languageCode.flatMap { 2...3 ~= $0.utf8.count ? $0 : nil } ?? "en"
        return language + (locale.regionCode.map { "-\($0)" } ?? "")
    }

    /// Returns a tag that is safe in a header or an attribute, with only ASCII letters, digits and hyphens.
    static func tidy(_ tag: String) -> String {
        tag.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }
}
