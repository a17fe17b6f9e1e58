import Foundation

/// The signed claims (JWT) by which a service account identifies itself.
struct ServiceAssertion {
    let header: [String: ServerJSON]
    let claims: [String: ServerJSON]
    let signed: Data
    let signature: Data

    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Self.bytes(parts[2]), !signature.isEmpty
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signed = Data("\(parts[0]).\(parts[1])".utf8)
    }

    /// Returns what is wrong with the assertion; nil if it is valid.
    func fault(account: String, audience: Set<String>, now: Date) -> String? {
        guard header["alg"]?.string == "RS256" else { return "the header's alg must be RS256" }
        guard (header["typ"]?.string ?? "JWT").uppercased() == "JWT" else { return "the header's typ must be JWT" }
        guard claims["iss"]?.string == account, claims["sub"]?.string == account else {
            return "iss and sub must be the name of the service account"
        }
        let addresses = claims["aud"]?.array ?? [claims["aud"] ?? .null]
        guard addresses.contains(where: { audience.contains($0.string ?? "") }) else {
            return "aud must be the address of this endpoint"
        }
        guard let expires = claims["exp"]?.double else { return "exp must be a number of seconds since 1970" }
        let now = now.timeIntervalSince1970
        guard expires > now else { return "exp is in the past" }
        guard expires <= now + 3_600 else { return "exp is more than an hour ahead: is it in milliseconds?" }
        guard claims["nbf"]?.double ?? now <= now else { return "nbf is in the future" }
        guard claims["jti"]?.string?.isEmpty == false else { return "jti must be a text that is used once" }
        return nil
    }

    private static func object(_ text: String) -> [String: ServerJSON]? {
        bytes(text).flatMap { ServerJSON($0)?.object }
    }

    /// Decodes base64url: `-` and `_`. The standard allows neither padding nor `+` and `/`.
    private static func bytes(_ text: String) -> Data? {
        guard text.utf8.allSatisfy({ !"+/=".utf8.contains($0) }) else { return nil }
        let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4))
    }
}
