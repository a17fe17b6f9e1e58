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

    /// Creates the secret of a line's `{"file":"PATH"}` or `{"env":"NAME"}`; nil for anything else.
    ///
    /// - Parameter kind: `token` or `key`.
    init?(_ kind: String, _ form: String, _ name: Any, _ environment: [String: String]) {
        guard let name = name as? String, !name.isEmpty else { return nil }
        switch form {
        case "file": self.init(kind, inFile: name)
        case "env":
            let description = "the \(kind) in the environment variable \(name)"
            self.init(description) { @Sendable () throws(NoToken) in
                guard let text = environment[name] else { throw NoToken(problem: "\(description) is not set") }
                return text
            }
        default: return nil
        }
    }

    init(_ kind: String, inFile path: String) {
        let description = "the \(kind)'s file \(path)"
        self.init(description) { @Sendable () throws(NoToken) in
            let file = SystemFile(reading: path)
            do throws(FileError) {
                try file?.refuseOtherWriters()
            } catch {
                throw NoToken(problem: String("\(error)".dropLast()))
            }
            guard let file, file.isRegular, let bytes = try? file.read(Self.longest + 1, at: 0) else {
                throw NoToken(problem: "\(description) cannot be read")
            }
            guard bytes.count <= Self.longest else {
                throw NoToken(problem: "\(description) is longer than any \(kind)")
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private init(_ description: String, _ read: @escaping @Sendable () throws(NoToken) -> String) {
        (self.description, self.read) = (description, read)
    }

    /// Returns the text without surrounding white space; throws an error that names its location but not its content.
    func text() throws(NoToken) -> String {
        let text = try read().trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { throw NoToken(problem: "\(self) is empty") }
        return text
    }
}
