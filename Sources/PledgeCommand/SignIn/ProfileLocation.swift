import Foundation

/// Storage for the content of profiles, by name.
protocol ProfileLocation: Sendable {
    /// The names of all profiles, unordered.
    var names: [String] { get throws }
    /// Returns a description of a profile's location.
    func title(of name: String) -> String
    /// Returns the content of a profile; nil if it does not exist.
    func read(_ name: String) throws -> Data?
    /// Throws if the profile can't be written, before anything depends on it.
    func checkWritable(_ name: String) throws
    func write(_ bytes: Data, as name: String) throws
    /// Removes a profile, if it exists.
    func remove(_ name: String) throws
}
