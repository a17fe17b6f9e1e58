import PledgeTestSupport
import Testing

@Suite("The folders of source files and tests")
struct RoomTests {
    @Test("Only the demo's folder of the tool uses the sandbox")
    func sandbox() throws {
        let files = try Repository.paths(below: "Sources/PledgeCommand", ending: ".swift").filter {
            try Repository.text("Sources/PledgeCommand/\($0)").contains("import PledgeSandbox")
        }
        #expect(!files.isEmpty && files.allSatisfy { $0.hasPrefix("Demo/") }, "\(files)")
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
