import Foundation

/// The private key of a service account, with which `openssl` signs: neither this package nor the system's Swift has RSA
/// everywhere.
struct SigningKey: Sendable {
    private let secret: StoredSecret
    /// In a closure, where neither `print` nor `dump` finds secrets.
    private let environment: @Sendable () -> [String: String]

    /// Creates it from a line's `{"file":"PATH"}` or `{"env":"NAME"}`; nil for anything else.
    init?(_ json: Any?, _ environment: [String: String]) {
        guard let members = json as? [String: String], members.count == 1, let (form, name) = members.first,
            !name.isEmpty, ["file", "env"].contains(form)
        else { return nil }
        secret =
            form == "file"
            ? StoredSecret("key", inFile: name) : StoredSecret("key", inVariable: name, of: environment)
        self.environment = { environment }
    }

    /// Signs with RSA and SHA-256.
    ///
    /// - Throws: ``NoToken``, which says where the key is and never what it is.
    func signature(of bytes: Data) throws -> Data {
        let key = try pem()
        // The key as the fourth open file, because the bytes are the first. With an empty pass phrase, because for one
        // that is missing it would ask the terminal.
        let words = ["openssl", "dgst", "-sha256", "-sign", "/dev/fd/3", "-passin", "pass:"]
        guard let command = TokenCommand(words, environment()) else { throw problem("cannot be used") }
        do {
            return try command.output(of: bytes, Data(key.utf8))
        } catch let error as NoToken where error.problem.contains("exit code") {
            throw problem("cannot be read by openssl: is it complete?")
        }
    }

    /// The key in PEM format, as `openssl` reads it: variables and JSON often have `\n` in place of line ends, and
    /// configuration files indent the lines.
    private func pem() throws -> String {
        let lines = try secret.text().replacingOccurrences(of: "\\n", with: "\n").split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t\"'")) }.filter { !$0.isEmpty }
        guard let kind = lines.first(where: { $0.hasPrefix("-----BEGIN ") })?.dropFirst(11).prefix(while: { $0 != "-" })
        else { throw problem("is not in PEM format: it begins with “-----BEGIN PRIVATE KEY-----”") }
        if kind.contains("ENCRYPTED")
            || lines.contains(where: { $0.hasPrefix("Proc-Type:") && $0.hasSuffix("ENCRYPTED") })
        {
            throw problem("is encrypted: decrypt it with “openssl pkey -in KEY -out DECRYPTED”")
        }
        guard kind.hasSuffix("PRIVATE KEY") else {
            throw problem("is a \(kind.lowercased().prefix(40)), and signing takes the private key")
        }
        guard !kind.hasPrefix("EC "), !Self.isElliptic(lines), !kind.hasPrefix("DSA ") else {
            throw problem("is no RSA key, which the service requires")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Whether the key says that it belongs to an elliptic curve, by the identifier of that algorithm or its relatives.
    private static func isElliptic(_ lines: [String]) -> Bool {
        let body = lines.filter { !$0.hasPrefix("-----") }.joined()
        guard let bytes = Data(base64Encoded: body, options: .ignoreUnknownCharacters) else { return false }
        // 1.2.840.10045.2.1, and 1.3.101 for the Edwards curves, in the first bytes.
        return [Data([0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]), Data([6, 3, 0x2B, 0x65])].contains { identifier in
            bytes.prefix(40).range(of: identifier) != nil
        }
    }

    private func problem(_ words: String) -> NoToken { NoToken(problem: "\(secret) \(words)") }
}
