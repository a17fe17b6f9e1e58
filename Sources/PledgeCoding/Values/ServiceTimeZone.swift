import Foundation

extension TimeZone {
    /// Coordinated Universal Time. Foundation's own constant is too new for the supported platforms.
    package static let utc = TimeZone(secondsFromGMT: 0) ?? .current

    /// Creates the time zone with a name sent by a service, such as `Europe/Stockholm`. Returns nil for a malformed
    /// name, which the system might take for a path, or take long to compare with its own names.
    package init?(ofService name: String) {
        guard name.utf8.allSatisfy({ isAlphanumeric($0) || "/_+-:".utf8.contains($0) }), name.utf8.count <= 64 else {
            return nil
        }
        self.init(identifier: name)
    }
}
