import Foundation

/// A location that keeps profiles by name. Their content is up to the store.
protocol ProfileLocation: Sendable {
    /// The names of all profiles, in any order.
    var names: [String] { get throws }
    /// Returns a description of where a profile is kept.
    func title(of name: String) -> String
    /// Returns the content of a profile; nil if there is no such profile.
    func read(_ name: String) throws -> Data?
    /// Throws if the profile can't be written, before anything depends on writing it.
    func checkWritable(_ name: String) throws
    func write(_ bytes: Data, as name: String) throws
    /// Removes a profile; does nothing if there is no such profile.
    func remove(_ name: String) throws
}
