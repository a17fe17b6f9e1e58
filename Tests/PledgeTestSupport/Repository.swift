import Foundation

/// The files of the package.
package enum Repository {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    package static func file(_ path: String) -> URL { root.appendingPathComponent(path) }

    package static func text(_ path: String) throws -> String { try String(contentsOf: file(path), encoding: .utf8) }

    /// The public symbols of a module, with what is said of each.
    package static func symbols(_ module: String) throws -> String {
        try text("Tests/RepositoryTests/PublicSymbols/\(module).txt")
    }

    /// The paths of the files below a folder whose names end so, relative to it.
    package static func paths(below folder: String, ending: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: file(folder).path)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(ending) }
    }
}
