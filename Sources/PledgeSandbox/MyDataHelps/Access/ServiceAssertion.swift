import Foundation

/// The signed claims by which a service account identifies itself.
struct ServiceAssertion {
    let header: [String: SandboxJSON]
    let claims: [String: SandboxJSON]
    let signed: Data
    let signature: Data

    /// Parses a JWT; `nil` when the text is not one.
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

    /// Returns what is wrong with the assertion; `nil` when it is valid.
    func fault(account: String, audience: Set<String>, now: Date) -> String? {
        guard header["alg"]?.string == "RS256", header["typ"]?.string == "JWT" else {
            return "the header must be alg RS256 and typ JWT"
        }
        guard claims["iss"]?.string == account, claims["sub"]?.string == account else {
            return "iss and sub must be the name of the service account"
        }
        guard let address = claims["aud"]?.string, audience.contains(address) else {
            return "aud must be the address of this endpoint"
        }
        // A time in milliseconds is in the distant future, and therefore also too late.
        guard let expires = claims["exp"]?.integer, Double(expires) > now.timeIntervalSince1970,
            Double(expires) <= now.timeIntervalSince1970 + 3_600
        else { return "exp must be a whole number of seconds since 1970, within the next hour" }
        guard let id = claims["jti"]?.string, UUID(uuidString: id) != nil else { return "jti must be a UUID" }
        return nil
    }

    private static func object(_ text: String) -> [String: SandboxJSON]? {
        bytes(text).flatMap { SandboxJSON($0)?.object }
    }

    /// Decodes base64url: `-` and `_` without padding. Padding, `+`, and `/` are not allowed by the standard.
    private static func bytes(_ text: String) -> Data? {
        guard text.utf8.allSatisfy({ !"+/=".utf8.contains($0) }) else { return nil }
        let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4))
    }
}
