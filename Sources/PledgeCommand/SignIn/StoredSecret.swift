import Foundation
import PledgeCoding
import PledgeFiles

/// Tokens in files. The variables `EXIST_TOKEN_FILE` and `MYDATAHELPS_TOKEN_FILE` name the files. Containers usually
/// get their secrets in this way.
enum TokenFiles {
    /// Returns the environment with the tokens from files added. The content of the file that `EXIST_TOKEN_FILE` names,
    /// for example, becomes the value of `EXIST_TOKEN`.
    ///
    /// - Throws: `UsageError` if a file has no token, if its name is empty, or if the variable for the token is set, too.
    static func read(_ environment: [String: String]) throws(UsageError) -> [String: String] {
        var environment = environment
        for service in Access.Service.allCases {
            let name = service.tokenName
            let file = "\(service.tokenName)_FILE"
            guard let path = environment[file] else { continue }
            // As for an empty token, a stored account must not take the place of one whose secret is missing.
            guard !path.isEmpty else {
                throw UsageError(
                    "\(file) is set, but empty: set it to the path of a file, or unset it to use a stored account.")
            }
            guard environment[name] == nil else {
                throw UsageError("\(name) and \(file) are both set: unset one of them.")
            }
            do throws(NoToken) {
                environment[name] = try StoredSecret("token", inFile: path).text()
            } catch {
                throw UsageError("\(file) is set, but \(error.problem).")
            }
        }
        return environment
    }

    /// Returns a warning for each variable whose name looks like a misspelled name of one of this tool's variables.
    static func misspelled(_ environment: [String: String]) -> [String] {
        let known =
            Access.Service.allCases.flatMap { [$0.tokenName, "\($0.tokenName)_FILE", $0.addressName] }
            + [Settings.tokenKind.name, LoginCommand.clientIDName, BrowserSignIn.secretName]
        return environment.keys.filter { name in
            !known.contains(name) && ["EXIST_", "MYDATAHELPS_"].contains { name.hasPrefix($0) }
        }.sorted().compactMap { name in
            let near = Nearest.hint(to: name, among: known)
            return near.isEmpty ? nil : "\(name) has no meaning here.\(near)"
        }
    }
}

/// A token or a key that is stored in a file or in an environment variable.
struct StoredSecret: Sendable, Redacted {
    private enum Place: Sendable {
        case file(path: String)
        /// The value is nil if the variable is not set.
        case variable(value: String?)
    }

    /// The word for the secret in messages: `token` or `key`.
    private let kind: String
    private let place: Place
    /// A description of the place where the secret is stored, such as `the key's file /secrets/study.pem`.
    let description: String

    /// The maximum size of a token or a key, in bytes.
    static let longest = 16_384

    /// Creates a secret from the form `{"file":"PATH"}` or `{"env":"NAME"}` in a line of a batch's input. Returns nil
    /// for any other form.
    init?(_ kind: String, _ form: String, _ name: Any, _ environment: [String: String]) {
        guard let name = name as? String, !name.isEmpty else { return nil }
        switch form {
        case "file": self.init(kind, inFile: name)
        case "env":
            self.init(kind, .variable(value: environment[name]), "the \(kind) in the environment variable \(name)")
        default: return nil
        }
    }

    init(_ kind: String, inFile path: String) {
        self.init(kind, .file(path: path), "the \(kind)'s file \(path)")
    }

    private init(_ kind: String, _ place: Place, _ description: String) {
        self.kind = kind
        self.place = place
        self.description = description
    }

    /// Reads the secret, and returns it without white space at its ends. An error says where the secret should be, but
    /// never contains it.
    func text() throws(NoToken) -> String {
        let stored: String
        switch place {
        case .file(let path): stored = try content(of: path)
        case .variable(let value?): stored = value
        case .variable(nil): throw NoToken(problem: "\(self) is not set")
        }
        let text = stored.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { throw NoToken(problem: "\(self) is empty") }
        return text
    }

    private func content(of path: String) throws(NoToken) -> String {
        let file = SystemFile(reading: path)
        do throws(FileError) {
            try file?.refuseOtherWriters()
        } catch {
            throw NoToken(problem: String("\(error)".dropLast()))
        }
        guard let file, file.isRegular, let bytes = try? file.read(Self.longest + 1, at: 0) else {
            throw NoToken(problem: "\(self) cannot be read")
        }
        guard bytes.count <= Self.longest else { throw NoToken(problem: "\(self) is longer than any \(kind)") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
