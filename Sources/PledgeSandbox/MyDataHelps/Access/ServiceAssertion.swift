import Foundation

/// The signed claims by which a service account says who it is.
struct ServiceAssertion {
    let header: [String: SandboxJSON]
    let claims: [String: SandboxJSON]
    let signed: Data
    let signature: Data

    /// Takes a JWT apart; `nil` when it is none.
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

    /// What is wrong with it; `nil` when nothing is.
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
        // A count of milliseconds is a date in another age, and so too late as well.
        guard let expires = claims["exp"]?.integer, Double(expires) > now.timeIntervalSince1970,
            Double(expires) <= now.timeIntervalSince1970 + 3_600
        else { return "exp must be a whole number of seconds since 1970, within the next hour" }
        guard let id = claims["jti"]?.string, UUID(uuidString: id) != nil else { return "jti must be a UUID" }
        return nil
    }

    private static func object(_ text: String) -> [String: SandboxJSON]? {
        bytes(text).flatMap { SandboxJSON($0)?.object }
    }

    /// Reads base64 with `-` and `_` and without padding; with padding or `+` and `/` it is not what the standard asks
    /// for.
    private static func bytes(_ text: String) -> Data? {
        guard text.utf8.allSatisfy({ !"+/=".utf8.contains($0) }) else { return nil }
        let usual = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return Data(base64Encoded: usual + String(repeating: "=", count: (4 - usual.utf8.count % 4) % 4))
    }
}
