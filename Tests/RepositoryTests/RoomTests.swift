import PledgeTestSupport
import Testing

@Suite("The folders of source files and tests")
struct RoomTests {
    private static let rooms = [
        "Terminal", "Formats", "Arguments", "Listing", "SignIn", "Demo", "Report", "Commands", "Batch", "Export",
        "Sync", "Check", "",
    ]
    private static let folder = "Sources/PledgeCommand"

    /// The name, the folder, and the code of each source file of the tool. The code is without comments and string literals.
    private static func files() throws -> [(name: String, room: String, code: String)] {
        try Repository.paths(below: folder, ending: ".swift").map { name in
            let parts = name.split(separator: "/")
            let code = try Repository.text("\(folder)/\(name)")
                .replacing(#/"(\\.|[^"\\\n])*"/#, with: "").replacing(#///.*/#, with: "")
            return (name, parts.count > 1 ? String(parts[0]) : "", code)
        }
    }

    /// Returns the names of the types that a file declares for other files, and of the members that its extensions add.
    private static func declarations(_ code: String) -> (types: [Substring], members: [Substring]) {
        var (types, members, isInExtension): ([Substring], [Substring], Bool) = ([], [], false)
        for line in code.split(separator: "\n") {
            if line.hasPrefix("extension ") || line.hasPrefix("}") { isInExtension = line.hasPrefix("e") }
            if let type = line.prefixMatch(of: #/(?:final |indirect )*(?:struct|class|enum|protocol|typealias) (\w+)/#)
            {
                types.append(type.output.1)
            }
            if isInExtension, let member = line.prefixMatch(of: #/ {4}(?:static |mutating )*(?:func|var|let) (\w+)/#) {
                members.append(member.output.1)
            }
        }
        return (types, members)
    }

    @Test(
        "Each file of the tool uses only code of its own folder and earlier ones; only the demo uses the sandbox"
    )
    func order() throws {
        let keywords: Set<Substring> = ["func", "var", "let", "case"]
        let files = try Self.files().map { file in
            (
                name: file.name, index: try #require(Self.rooms.firstIndex(of: file.room)), code: file.code,
                words: file.code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            )
        }
        #expect(Set(files.map(\.index)) == Set(Self.rooms.indices))
        let sandboxed = files.filter { $0.code.contains("import PledgeSandbox") }.map { Self.rooms[$0.index] }
        #expect(Set(sandboxed) == ["Demo"])
        var declaring: [Substring: Set<Int>] = [:]
        for file in files {
            for (keyword, name) in zip(file.words, file.words.dropFirst()) where keywords.contains(keyword) {
                declaring[name, default: []].insert(file.index)
            }
        }
        var (types, members): ([Substring: Int], [Substring: Int]) = ([:], [:])
        for file in files {
            let declared = Self.declarations(file.code)
            for type in declared.types { types[type] = file.index }
            // Ignores a name of one word, and a name that another folder also declares, because they may mean something else.
            for member in declared.members where member.contains(where: \.isUppercase) {
                if declaring[member] == [file.index] { members[member] = file.index }
            }
        }
        #expect(types.count > 100 && members.count > 20)
        for file in files {
            for word in Set(file.words) {
                guard let home = types[word] ?? members[word] else { continue }
                #expect(home <= file.index, "\(file.name) uses \(word) of \(Self.rooms[home])")
            }
        }
    }

    @Test("No source file changes the environment of the process, because other threads may be reading it")
    func environment() throws {
        let files =
            Repository.paths(below: "Sources", ending: ".swift") + Repository.paths(below: "Sources", ending: ".c")
        let changing = try files.filter {
            try Repository.text("Sources/\($0)").contains(#/\b(setenv|unsetenv|putenv|clearenv)\b/#)
        }
        #expect(files.count > 100 && changing.isEmpty, "\(changing)")
    }

    @Test("A test file that is named after a source file is in the corresponding folder")
    func mirrored() {
        var homes: [Substring: Set<String>] = [:]
        for path in Repository.paths(below: "Sources", ending: ".swift") {
            var folders = path.split(separator: "/")
            let name = folders.removeLast().dropLast(".swift".count)
            homes[name, default: []].insert(([folders[0] + "Tests"] + folders.dropFirst()).joined(separator: "/"))
        }
        var count = 0
        for path in Repository.paths(below: "Tests", ending: "Tests.swift") where !path.hasPrefix("Benchmarks") {
            let folders = path.split(separator: "/")
            guard let expected = homes[folders[folders.count - 1].dropLast("Tests.swift".count)] else { continue }
            count += 1
            let folder = folders.dropLast().joined(separator: "/")
            #expect(expected.contains(folder), "\(path) belongs in \(expected.sorted())")
        }
        #expect(count >= 72)
    }
}
