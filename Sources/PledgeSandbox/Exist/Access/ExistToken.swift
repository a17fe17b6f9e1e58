struct ExistToken: Sendable {
    let kind: ExistSandbox.TokenKind
    let scopes: Set<String>
    let client: ExistService
    /// The owner of the token, if not the sandbox's own user.
    var username: String?

    func canRead(_ attribute: ExistAttribute) -> Bool {
        kind == .simple || allows("read", attribute.group, manual: attribute.manual)
    }

    func owns(_ attribute: ExistAttribute) -> Bool {
        kind == .oauth && attribute.isActive && attribute.service == client
    }

    func checkWriting(_ group: ExistGroup, manual: Bool) throws(ExistItemError) {
        guard allows("write", group, manual: manual) else { throw .noScope("\(group.name)_write") }
    }

    private func allows(_ action: String, _ group: ExistGroup, manual: Bool) -> Bool {
        scopes.contains("\(group.name)_\(action)") || (manual && scopes.contains("manual_\(action)"))
    }
}
