import ExistKit
import Foundation
import PledgeCoding
import PledgeFiles

/// The stored profiles. They are items in the Keychain, or files in `$XDG_CONFIG_HOME/pledge/` on systems without a
/// Keychain and for users who want files.
struct ProfileStore: Sendable {
    /// The folder for the lock files, and for the profiles if they are stored as files.
    private let folder: String
    private let location: any ProfileLocation
    private let terminal: Terminal?

    /// Creates a store. Returns nil if the environment doesn't tell where to store profiles.
    ///
    /// - Parameter terminal: The terminal that shows a message if a change has to wait for another process.
    init?(_ environment: [String: String], saying terminal: Terminal? = nil) {
        self.terminal = terminal
        // The XDG specification says that relative paths in its variables must be ignored.
        let base = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.config" : nil }
        guard let parent = base ?? home else { return nil }
        folder = parent + "/pledge"
        #if canImport(Security)
            // A user who sets XDG_CONFIG_HOME wants the profiles to be files in that folder.
            let wantsFiles = base != nil || environment["PLEDGE_KEYCHAIN"] == "0"
            location = wantsFiles ? ProfileFiles(folder: folder) : ProfileKeychain()
        #else
            location = ProfileFiles(folder: folder)
        #endif
    }

    static func isName(_ text: String) -> Bool {
        1...64 ~= text.utf8.count
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }

    func title(of name: String) -> String { location.title(of: name) }

    var names: [String] { get throws { try location.names.filter(Self.isName).sorted() } }

    func load(_ name: String) throws -> Profile? {
        guard let bytes = try location.read(name) else { return nil }
        // In the style of snake case, dates are texts in ISO 8601. Names are found in the form in which they are stored.
        // A profile without any account is damaged, because a profile is removed together with its last account.
        guard let profile = try? TapeDecoder.decode(Profile.self, from: JSONTape(bytes, style: .snakeCase)),
            profile.exist != nil || profile.mydatahelps != nil
        else {
            throw Failure("\(title(of: name)) is damaged: remove it, and sign in again with “pledge login”.")
        }
        return profile
    }

    func checkWritable(_ name: String) throws { try location.checkWritable(name) }

    /// Stores a profile. The caller must hold the profile's lock.
    func save(_ profile: Profile, as name: String) throws {
        try location.write(Data(profile.prettyJSON().utf8), as: name)
    }

    /// Changes a profile while holding its lock. The profile is created if it doesn't exist, and removed if the change
    /// leaves it without accounts.
    func update(_ name: String, _ change: (inout Profile) throws -> Void) throws {
        let lock = try lock(name)
        defer { lock.release() }
        var profile = try load(name) ?? Profile()
        try change(&profile)
        let isEmpty = profile.exist == nil && profile.mydatahelps == nil
        try isEmpty ? location.remove(name) : save(profile, as: name)
    }

    func remove(_ name: String) throws {
        let lock = try lock(name)
        defer { lock.release() }
        try location.remove(name)
    }

    /// Locks a profile. While another process holds the lock, this method blocks the current thread.
    func lock(_ name: String) throws -> FileLock {
        try makeFolder()
        return try FileLock("\(folder)/.\(name).lock") {
            terminal?.notify("Another process is using the profile “\(name)”: waiting for it. Press Ctrl-C to stop.")
        }
    }

    /// Waits until no renewal of a profile's tokens is in progress. If this process ended before, the new tokens would
    /// be lost, although the service has revoked the old ones.
    func waitForRenewal(_ name: String, onWait: () -> Void) {
        _ = try? FileLock("\(folder)/.\(name).lock", onWait: onWait)
    }

    private func makeFolder() throws {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure("The folder for profiles, \(folder), cannot be created: \(error.localizedDescription)")
        }
    }
}

/// One person's accounts, stored together under a name. A profile contains tokens, so its description shows no content,
/// and it is encoded only to store it privately.
struct Profile: Codable, Sendable, Redacted {
    var exist: ExistCredential?
    var mydatahelps: ParticipantCredential?
    var description: String { "Profile(…)" }

    /// Returns the profile's account of a service, or nil if there is none. The result has the account's owner, the
    /// server, the token, and, for a service with several kinds of tokens, the token's kind.
    func account(
        _ service: Access.Service
    ) -> (person: String, address: URL, token: String, kind: ExistCredential.Kind?)? {
        service == .exist
            ? exist.map { ($0.username, $0.address.asBase, $0.token.accessToken, $0.kind) }
            : mydatahelps.map { ($0.participant, $0.address.asBase, $0.token, nil) }
    }

    /// Returns whether the profile has this account. The address must match, too, because the same name may belong to
    /// another person on another server.
    func holds(_ person: String, at address: URL, _ service: Access.Service) -> Bool {
        account(service).map { ExactText($0.person) == ExactText(person) && $0.address == address } ?? false
    }
}

struct ExistCredential: Codable, Sendable, Redacted {
    enum Kind: String, Codable, Sendable {
        case bearer, simple

        /// The authorization scheme of a request: the word before the token in the `Authorization` header.
        var scheme: String { self == .bearer ? "Bearer" : "Token" }

        func authorizer(_ token: String) -> Authorizer { .scheme(scheme, token) }
    }

    /// The address of the service. It is stored with the token, so that the token is never sent to another server.
    var address: URL
    var username: String
    var kind: Kind
    var token: ExistToken
    /// The app to which the token was issued. Nil for a pasted token, which can't be renewed, because renewing a token
    /// takes the app's id and secret.
    var app: App?
    var description: String { "ExistCredential(\(username))" }

    struct App: Codable, Sendable, Redacted {
        var clientID: String
        var clientSecret: String
        var redirectURI: String
        var description: String { "App(\(clientID))" }
    }
}

struct ParticipantCredential: Codable, Sendable, Redacted {
    var address: URL
    var participant: String
    var token: String
    var description: String { "ParticipantCredential(\(participant))" }
}

/// Profiles that are stored as files. Only their owner can access them.
struct ProfileFiles: ProfileLocation {
    let folder: String

    func title(of name: String) -> String { "\(folder)/\(name).json" }

    var names: [String] {
        get throws {
            // Foundation's error doesn't tell in words why a folder can't be read, so it is opened with a system call.
            guard let stream = opendir(folder) else {
                if errno == ENOENT { return [] }
                throw FileError(reading: folder, errno)
            }
            closedir(stream)
            return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }
                .map { String($0.dropLast(5)) }
        }
    }

    func read(_ name: String) throws -> Data? {
        do {
            let file = try OutputPath(title(of: name), isSecret: true).openFile(O_RDONLY)
            return Data(try file.read(file.length(), at: 0))
        } catch let error as FileError where error.code == ENOENT {
            return nil
        }
    }

    func checkWritable(_ name: String) throws {
        _ = try WholeFile(title(of: name), isSecret: true)
        try OutputPath(title(of: name)).removeAbandoned()
    }

    func write(_ bytes: Data, as name: String) throws {
        try WholeFile(title(of: name), isSecret: true).write(String(decoding: bytes, as: UTF8.self))
    }

    func remove(_ name: String) throws {
        let path = title(of: name)
        // A temporary file with a token may remain from a command that was killed, so such files are removed, too.
        try OutputPath(path).removeAbandoned()
        guard unlink(path) == 0 || errno == ENOENT else {
            throw Failure("\(path) cannot be removed: \(String(cString: strerror(errno))).")
        }
    }
}

extension ExistCredential {
    /// Whether the account's token can be renewed. That takes a refresh token and the app. A pasted token has neither.
    var isRenewable: Bool { app != nil && token.refreshToken != nil }
}
