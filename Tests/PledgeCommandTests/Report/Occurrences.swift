extension String {
    /// Returns the matches of a regular expression.
    func occurrences(ofPattern pattern: String) -> [Substring] {
        (try? Regex(pattern)).map { ranges(of: $0).map { self[$0] } } ?? []
    }
}
