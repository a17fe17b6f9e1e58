/// The names of what a token may do.
enum ExistScopes {
    /// Every scope of the service: reading and writing, for each group and for manual attributes.
    static let all: Set<String> = {
        // The Twitter group is still listed, but no scope opens it.
        let groups = ExistGroup.all.filter { $0 != .twitter }.map(\.name) + ["manual"]
        return Set(groups.flatMap { ["\($0)_read", "\($0)_write"] })
    }()

    /// The scopes in a text, with spaces between them.
    static func parse(_ text: String) -> Set<String> {
        Set(text.split(separator: " ").map(String.init))
    }

    /// The scopes as replies write them.
    static func format(_ scopes: Set<String>) -> String {
        scopes.sorted().joined(separator: " ")
    }
}
