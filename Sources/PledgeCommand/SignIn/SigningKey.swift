import Foundation
import Pledge
import PledgeHTTP

/// The private key of a service account. The program `openssl` makes the signatures, because RSA is not available in
/// Swift on every system.
struct SigningKey: Sendable {
    private let secret: StoredSecret
    private let command: TokenCommand

    /// Creates a key from the object `{"file":"PATH"}` or `{"env":"NAME"}` in a line. Returns nil for anything else.
    init?(_ json: Any?, _ environment: [String: String]) {
        guard let members = json as? [String: Any], members.count == 1, let (form, name) = members.first,
            let secret = StoredSecret("key", form, name, environment),
            // The command reads the key from descriptor 3, because standard input contains the bytes to sign. The
            // padding option makes openssl reject keys that aren't RSA keys. Because of the empty pass phrase, openssl
            // doesn't ask for a pass phrase in the terminal.
            let command = TokenCommand(
                [
                    "openssl", "dgst", "-sha256", "-sigopt", "rsa_padding_mode:pkcs1", "-passin", "pass:", "-sign",
                    "/dev/fd/3",
                ],
                environment)
        else { return nil }
        self.secret = secret
        self.command = command
    }

    /// Signs the bytes with RSA and SHA-256.
    ///
    /// - Throws: ``NoToken``. The error says where the key is stored, but doesn't contain the key.
    func signature(of bytes: Data) throws -> Data {
        // Restores the lines of the key. In environment variables and JSON, line ends are often written as `\n`. In
        // configuration files, the lines are often indented.
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
