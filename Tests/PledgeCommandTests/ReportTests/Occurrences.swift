import Foundation

extension String {
    /// Returns the matches of a regular expression. `Regex` itself is not available on all platforms of the package.
    func occurrences(ofPattern pattern: String) -> [Substring] {
        var found: [Substring] = []
        var rest = startIndex..<endIndex
        while let range = self.range(of: pattern, options: .regularExpression, range: rest) {
            found.append(self[range])
            rest = range.upperBound..<endIndex
        }
        return found
    }
}
