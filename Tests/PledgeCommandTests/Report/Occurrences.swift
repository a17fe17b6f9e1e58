import Foundation

extension String {
    /// Returns the matches of a regular expression. `Regex` itself is not available on all platforms of the package.
    func occurrences(ofPattern pattern: String) -> [Substring] {
        let expression = try? NSRegularExpression(pattern: pattern)
        return (expression?.matches(in: self, range: NSRange(startIndex..., in: self)) ?? []).compactMap { match in
            Range(match.range, in: self).map { self[$0] }
        }
    }
}
