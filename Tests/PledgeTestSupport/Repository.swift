import Foundation

/// The files of the package.
package enum Repository {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    package static func file(_ path: String) -> URL { root.appendingPathComponent(path) }

    package static func text(_ path: String) throws -> String { try String(contentsOf: file(path), encoding: .utf8) }

    /// Returns the list of a module's public symbols.
    package static func symbols(_ module: String) throws -> [PublicSymbol] {
        try text("Tests/RepositoryTests/PublicSymbols/\(module).txt").split(separator: "\n").map { line in
            let parts = line.split(separator: ": ", maxSplits: 1)
            return PublicSymbol(path: String(parts[0]), declaration: String(parts[1]))
        }
    }

    /// Returns whether a suite has a test. The name consists of the suite and its function, such as `CancelTests.detached`.
    package static func hasTest(_ name: String) -> Bool {
        let parts = name.split(separator: ".")
        guard let attribute = try? Regex(#"@Test\((?:(?!func )[\s\S])*func \#(parts[1])\("#) else { return false }
        return suites[parts[0], default: []].contains { $0.contains(attribute) }
    }

    /// The files of each suite, by the suite's name. Suites of several targets may have the same name.
    private static let suites: [Substring: [String]] = {
        var suites: [Substring: [String]] = [:]
        for folder in (try? FileManager.default.contentsOfDirectory(atPath: file("Tests").path)) ?? []
        where folder.hasSuffix("Tests") {
            for path in paths(below: "Tests/\(folder)", ending: ".swift") {
                let text = (try? text("Tests/\(folder)/\(path)")) ?? ""
                for suite in text.matches(of: #/\n *(?:final )?(?:struct|class|extension) (\w+Tests)\b/#) {
                    suites[suite.1, default: []].append(text)
                }
            }
        }
        return suites
    }()

    /// Returns the paths of all files below a folder that have this ending. The paths are relative to the folder.
    package static func paths(below folder: String, ending: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: file(folder).path)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(ending) }
    }
}

/// A public symbol, or a fact about a public type.
package struct PublicSymbol: Sendable {
    /// The names of the types that contain the symbol, and its own name, such as `ExistQuery.page(after:)`.
    package let path: String
    /// The symbol's declaration, or a protocol to which the type conforms, such as `is Decodable`.
    package let declaration: String

    /// Whether the symbol is a property that can be set.
    package var isMutableProperty: Bool { declaration.hasPrefix("var ") && !declaration.contains("{") }
}
