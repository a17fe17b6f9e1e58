/// The names of the scopes.
enum ExistScopes {
    /// All scopes of the service: reading and writing, for each group and for manual attributes.
    static let all: Set<String> = {
        // The Twitter group is still listed, but has no scope.
        let groups = ExistGroup.all.filter { $0 != .twitter }.map(\.name) + ["manual"]
        return Set(groups.flatMap { ["\($0)_read", "\($0)_write"] })
    }()

    /// Returns the scopes in a space-separated list.
    static func parse(_ text: String) -> Set<String> {
        Set(text.split(separator: " ").map(String.init))
    }

    /// Returns the scopes in the format of responses.
    static func format(_ scopes: Set<String>) -> String {
        scopes.sorted().joined(separator: " ")
    }
}
