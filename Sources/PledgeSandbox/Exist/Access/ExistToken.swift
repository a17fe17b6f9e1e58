import Foundation

/// A credential the service knows.
struct ExistToken: Sendable {
    let text: String
    let kind: ExistSandbox.TokenKind
    let scopes: Set<String>
    /// The service that acts with this token.
    let client: ExistService
    var expires: Date?
    /// Who gave it, if that is not the sandbox's own user.
    var username: String?

    /// Whether the token may see an attribute; simple tokens see everything.
    func canRead(_ attribute: ExistAttribute) -> Bool {
        kind == .simple || allows("read", attribute.group, manual: attribute.manual)
    }

    /// Whether the client of the token fills an attribute.
    func owns(_ attribute: ExistAttribute) -> Bool {
        kind == .oauth && attribute.isActive && attribute.service == client
    }

    /// Throws unless the token may own and fill attributes of a group.
    func checkWriting(_ group: ExistGroup, manual: Bool) throws(ExistItemError) {
        guard allows("write", group, manual: manual) else { throw .noScope("\(group.name)_write") }
    }

    private func allows(_ action: String, _ group: ExistGroup, manual: Bool) -> Bool {
        scopes.contains("\(group.name)_\(action)") || (manual && scopes.contains("manual_\(action)"))
    }
}
