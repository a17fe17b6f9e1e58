import MyDataHelpsKit
import Pledge
import PledgeHTTP

extension TokenOrigin {
    /// Returns the tokens that a service account issues for a participant. Its requests use the account's client and
    /// limits. Nil if a member is missing, empty, or unknown.
    static func serviceAccount(_ json: Any?, _ environment: [String: String]) -> Self? {
        guard let members = json as? [String: Any], members.count == 4,
            let key = SigningKey(members["key"], environment)
        else { return nil }
        let texts = ["name", "project", "participant"].compactMap { members[$0] as? String }
        guard texts.count == 3, !texts.contains(where: \.isEmpty) else { return nil }
        return TokenOrigin(owner: { "service account \(texts.joined(separator: "\0"))" }) { client, _, _ in
            let account = ServiceAccount(name: texts[0], client: client()) { try key.signature(of: $0) }
            return DeferredTokens {
                account.participant(texts[2], in: Project.ID(texts[1])).map(on: nil) { account.tokens(for: $0.id) }
            }
        }
    }
}
