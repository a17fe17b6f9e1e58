import Foundation
import PledgeFiles

/// A token or a key in a file or in an environment variable.
struct StoredSecret: Sendable, CustomStringConvertible {
    /// A description, such as `the key's file /secrets/study.pem`.
    let description: String
    /// A closure, in which neither `print` nor `dump` finds the secret.
    private let read: @Sendable () throws(NoToken) -> String

    /// The maximum size of a token or a key, in bytes.
    static let longest = 16_384

    /// - Parameter kind: `token` or `key`.
    init(_ kind: String, inFile path: String) {
        let description = "the \(kind)'s file \(path)"
        self.description = description
        read = { @Sendable () throws(NoToken) in
            guard let file = SystemFile(reading: path), file.isRegular,
                let bytes = try? file.read(Self.longest + 1, at: 0)
            else { throw NoToken(problem: "\(description) cannot be read") }
            guard bytes.count <= Self.longest else {
                throw NoToken(problem: "\(description) is longer than any \(kind)")
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    init(_ kind: String, inVariable name: String, of environment: [String: String]) {
        let description = "the \(kind) in the environment variable \(name)"
        self.description = description
        read = { @Sendable () throws(NoToken) in
            guard let text = environment[name] else { throw NoToken(problem: "\(description) is not set") }
            return text
        }
    }

    /// Returns the text without surrounding white space; throws an error that names its location but not its content.
    func text() throws(NoToken) -> String {
        let text = try read().trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { throw NoToken(problem: "\(self) is empty") }
        return text
    }
}

struct NoToken: Error, CustomStringConvertible {
    var problem: String

    var description: String { "There is no token: \(problem)." }
}
