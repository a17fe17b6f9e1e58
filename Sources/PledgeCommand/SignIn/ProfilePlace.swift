import Foundation

/// Where profiles are kept, by their names. What is in one is the store's business.
protocol ProfilePlace: Sendable {
    /// All there are, in any order.
    var names: [String] { get throws }
    /// In words: where a profile is.
    func title(of name: String) -> String
    /// Nil where there is none.
    func read(_ name: String) throws -> Data?
    /// Fails if the profile cannot be written, before it matters.
    func checkWritable(_ name: String) throws
    func write(_ bytes: Data, as name: String) throws
    /// Not there is as good as removed.
    func remove(_ name: String) throws
}
