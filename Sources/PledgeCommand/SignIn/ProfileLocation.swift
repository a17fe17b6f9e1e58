import Foundation

/// A place where profiles are stored under their names.
protocol ProfileLocation: Sendable {
    /// The names of all stored profiles, in no particular order.
    var names: [String] { get throws }
    /// Returns a description of the place where a profile is stored, for messages to the user.
    func title(of name: String) -> String
    /// Returns the stored content of a profile, or nil if there is no such profile.
    func read(_ name: String) throws -> Data?
    /// Throws if the profile can't be written. Call this method before an action whose result must be stored, such as
    /// renewing a token.
    func checkWritable(_ name: String) throws
    func write(_ bytes: Data, as name: String) throws
    /// Removes a profile. Does nothing if there is no such profile.
    func remove(_ name: String) throws
}

#if canImport(Security)
    import Security

    /// Profiles that are stored as generic passwords in the Keychain. The account name of each password is the name of
    /// the profile.
    struct ProfileKeychain: ProfileLocation {
        private static let service = "pledge"

        func title(of name: String) -> String { "the Keychain, as “\(name)” of “\(Self.service)”" }

        var names: [String] {
            get throws {
                var found: CFTypeRef?
                let limits: [CFString: Any] = [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]
                guard try isThere(SecItemCopyMatching(query(adding: limits), &found)) else { return [] }
                return (found as? [[String: Any]] ?? []).compactMap { $0[kSecAttrAccount as String] as? String }
            }
        }

        func read(_ name: String) throws -> Data? {
            var found: CFTypeRef?
            let query = query(name, adding: [kSecMatchLimit: kSecMatchLimitOne, kSecReturnData: true])
            return try isThere(SecItemCopyMatching(query, &found)) ? found as? Data : nil
        }

        /// Reads the item. If that succeeds, the Keychain is unlocked, and the item can be written, too.
        func checkWritable(_ name: String) throws {
            _ = try read(name)
        }

        func write(_ bytes: Data, as name: String) throws {
            let new: [CFString: Any] = [kSecValueData: bytes]
            guard try !isThere(SecItemUpdate(query(name), new as CFDictionary)) else { return }
            let access: [CFString: Any] = [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]
            _ = try isThere(SecItemAdd(query(name, adding: new.merging(access) { $1 }), nil))
        }

        func remove(_ name: String) throws {
            _ = try isThere(SecItemDelete(query(name)))
        }

        private func query(_ name: String? = nil, adding more: [CFString: Any] = [:]) -> CFDictionary {
            var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: Self.service]
            query[kSecAttrAccount] = name
            return query.merging(more) { $1 } as CFDictionary
        }

        private func isThere(_ status: OSStatus) throws -> Bool {
            if status == errSecSuccess || status == errSecItemNotFound { return status == errSecSuccess }
            let reason = SecCopyErrorMessageString(status, nil).map { $0 as String } ?? "error \(status)."
            throw Failure("The Keychain failed: \(reason) To store profiles in files, set PLEDGE_KEYCHAIN=0.")
        }
    }
#endif
