import Foundation

/// The files of the package.
package enum Repository {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    package static func file(_ path: String) -> URL { root.appendingPathComponent(path) }

    package static func text(_ path: String) throws -> String { try String(contentsOf: file(path), encoding: .utf8) }

    /// Returns the list of a module's public symbols, with the declaration of each symbol.
    package static func symbols(_ module: String) throws -> String {
        try text("Tests/RepositoryTests/PublicSymbols/\(module).txt")
    }

    /// Returns the paths of all files below a folder that have this ending. The paths are relative to the folder.
    package static func paths(below folder: String, ending: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: file(folder).path)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(ending) }
    }
}
