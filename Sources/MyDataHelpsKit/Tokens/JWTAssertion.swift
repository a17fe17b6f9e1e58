import Foundation
import PledgeCoding

struct JWTAssertion: Sendable {
    private struct Claims: Encodable {
        var iss: String
        var sub: String
        var aud: String
        /// Seconds since 1970, contrary to one table of the vendor's.
        var exp: Int
        var jti: String
    }

    let account: String
    let audience: URL
    let expires: Int
    let id: UUID

    func text(signedBy sign: ServiceAccount.Signer) throws -> String {
        let encoder = JSONEncoder.repeatable()
        let claims = Claims(
            iss: account, sub: account, aud: audience.absoluteString, exp: expires, jti: id.uuidString.lowercased())
        let header = ["alg": "RS256", "typ": "JWT"]
        let parts = [try encoder.encode(header), try encoder.encode(claims)].map(Self.base64URL)
        let signed = parts.joined(separator: ".")
        return "\(signed).\(Self.base64URL(try sign(Data(signed.utf8))))"
    }

    private static func base64URL(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }
}
