import Foundation
import Testing

/// The folders of the tool, in their order of dependency.
@Suite("The rooms of the tool")
struct RoomTests {
    private static let rooms = [
        "Terminal", "Formats", "Arguments", "Listing", "SignIn", "Report", "Commands", "Batch", "Export", "Sync",
        "Sandbox", "",
    ]
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources/PledgeCommand")

    /// The name, the room, and the code of each file, without comments and texts.
    private static func files() throws -> [(name: String, room: String, code: String)] {
        let names = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        return try names.filter { $0.hasSuffix(".swift") }.map { name in
            let parts = name.split(separator: "/")
            let code = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
                .replacing(#/"(\\.|[^"\\\n])*"/#, with: "").replacing(#///.*/#, with: "")
            return (name, parts.count > 1 ? String(parts[0]) : "", code)
        }
    }

    @Test(
        "Each file uses only types of its own room and of those before it, and only the demo and the browser sign-in import the sandbox"
    )
    func order() throws {
        let files = try Self.files()
        #expect(Set(files.map(\.room)) == Set(Self.rooms))
        var homes: [Substring: String] = [:]
        for file in files {
            for type in file.code.matches(
                of: #/(?m)^(?:final |indirect )*(?:struct|class|enum|protocol|typealias) (\w+)/#)
            {
                homes[type.output.1] = file.room
            }
        }
        #expect(homes.count > 100)
        for file in files {
            let place = try #require(Self.rooms.firstIndex(of: file.room))
            for word in Set(file.code.matches(of: #/\b[A-Z]\w+/#).map(\.output)) {
                guard let home = homes[word], let other = Self.rooms.firstIndex(of: home) else { continue }
                #expect(other <= place, "\(file.name) uses \(word) of \(home)")
            }
            if file.code.contains("import PledgeSandbox") {
                #expect(["SignIn", "Sandbox"].contains(file.room), "\(file.name)")
            }
        }
    }
}
