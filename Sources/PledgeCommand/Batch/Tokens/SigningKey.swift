import Foundation

/// The private key of a service account. `openssl` signs, because RSA is not available in Swift on every system.
struct SigningKey: Sendable {
    private let secret: StoredSecret
    private let command: TokenCommand

    /// Creates a key from a line's `{"file":"PATH"}` or `{"env":"NAME"}`; nil for anything else.
    init?(_ json: Any?, _ environment: [String: String]) {
        guard let members = json as? [String: Any], members.count == 1, let (form, name) = members.first,
            let secret = StoredSecret("key", form, name, environment),
            // The key is descriptor 3, because the bytes are standard input. The padding option rejects other keys than
            // RSA. The empty pass phrase prevents a prompt in the terminal.
            let command = TokenCommand(
                [
                    "openssl", "dgst", "-sha256", "-sigopt", "rsa_padding_mode:pkcs1", "-passin", "pass:", "-sign",
                    "/dev/fd/3",
                ],
                environment)
        else { return nil }
        (self.secret, self.command) = (secret, command)
    }

    /// Signs with RSA and SHA-256; throws ``NoToken``, which names the key's location but not its content.
    func signature(of bytes: Data) throws -> Data {
        // Variables and JSON often have `\n` in place of line ends, and configuration files indent the lines.
        let lines = try secret.text().replacingOccurrences(of: "\\n", with: "\n").split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t\"'")) + "\n" }
        do {
            return try command.output(of: bytes, Data(lines.joined().utf8))
        } catch let error as NoToken where error.problem.contains("exit code") {
            throw NoToken(
                problem:
                    "\(secret) cannot sign: openssl needs a whole RSA private key in PEM format without a pass phrase")
        }
    }
}
