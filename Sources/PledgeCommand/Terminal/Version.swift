import PledgeLibraries

enum Version {
    static let text = "1.0.0"
    /// The version. In a packaged build, the commit that it was built from follows in parentheses.
    static let full: String = {
        let commit = String(cString: pledge_commit)
        return commit.isEmpty ? text : "\(text) (\(commit))"
    }()
    static let userAgent = "pledge/\(text)"
}
