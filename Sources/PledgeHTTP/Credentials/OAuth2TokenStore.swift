import Dispatch
import Foundation
import Pledge
import PledgeCoding
import PledgeFiles

/// The storage of a user's tokens, such as a Keychain item, a row of a database, or an ``OAuth2TokenFile``.
public protocol OAuth2TokenStore: Sendable {
    /// Returns the stored tokens, or nil. Called before each renewal: another process may have stored new ones.
    func load() -> Promise<OAuth2Token?>

    /// Stores a new pair. The old one may be invalid by then, so losing the new one may mean losing the account: if
    /// this rejects, so does the request, and the pair stays in memory. Callers wait for it, so it must not request a
    /// token.
    func save(_ token: OAuth2Token) -> Promise<Void>

    /// Rejects if tokens could not be stored, before the old ones are renewed. The default does nothing.
    func checkWritable() -> Promise<Void>

    /// Performs a renewal while no other process does. The default is for a store that only one process uses.
    func exclusively(_ renewal: @escaping @Sendable () -> Promise<OAuth2Token>) -> Promise<OAuth2Token>
}

extension OAuth2TokenStore {
    /// Does nothing: only saving shows whether such a store can be written.
    public func checkWritable() -> Promise<Void> { Promise() }

    /// Performs the renewal, for a store that no other process uses.
    public func exclusively(_ renewal: @escaping @Sendable () -> Promise<OAuth2Token>) -> Promise<OAuth2Token> {
        renewal()
    }
}

/// A file with a user's tokens that only its owner can read, shared by any number of processes on this machine.
///
/// A new pair replaces the file as a whole. Next to it is a lock file, whose name ends in `.lock`.
public struct OAuth2TokenFile: OAuth2TokenStore {
    private let path: String
    private let queue = DispatchQueue(label: "pledge.token-file")

    /// Creates a store in a file, which need not exist yet, of a folder that does.
    public init(_ url: URL) { path = url.path }

    public func load() -> Promise<OAuth2Token?> {
        queue.async(.promise) { [path] in
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            do {
                return try JSONDecoder().decode(OAuth2Token.self, from: bytes)
            } catch {
                // The error of the decoder could contain a token.
                throw FileError("\(path) has no tokens: remove it, and sign in again.")
            }
        }
    }

    public func save(_ token: OAuth2Token) -> Promise<Void> {
        queue.async(.promise) { [path] in
            let replacement = try Self.replacement(of: path)
            try replacement.file.writeAll(try JSONEncoder().encode(token))
            try replacement.replaceOriginal()
        }
    }

    public func checkWritable() -> Promise<Void> {
        queue.async(.promise) { [path] in _ = try Self.replacement(of: path) }
    }

    public func exclusively(_ renewal: @escaping @Sendable () -> Promise<OAuth2Token>) -> Promise<OAuth2Token> {
        FileLock.holding({ [path] in try FileLock(path + ".lock") }, renewal)
    }

    private static func replacement(of path: String) throws -> Replacement {
        try Replacement(of: OutputPath(path, isSecret: true), old: nil)
    }
}

extension FileLock {
    /// Performs work while a lock is held.
    package static func holding<T>(
        _ lock: @escaping @Sendable () throws -> FileLock, _ work: @escaping @Sendable () -> Promise<T>
    ) -> Promise<T> {
        // Waiting for the lock blocks a thread, so it has a queue of its own.
        DispatchQueue(label: "pledge.file-lock").async(.promise) { try lock() }
            .then(on: nil) { lock in work().ensure(on: nil) { lock.release() } }
    }
}
