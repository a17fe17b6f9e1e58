import Foundation
import PledgeFiles
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("A file that is replaced as a whole", .serialized)
final class WholeFileTests: FolderSuite {

    @Test("A link that an attacker planted under the new file's name is not opened, and another name is used")
    func planted() throws {
        try folder.file("victim", holding: "precious")
        try folder.file("r", holding: "old")
        let place = try OutputPath(folder.path("r"))
        // The same seed leads to the same name, as if an attacker had guessed it.
        var generator = SeededGenerator(seed: 5)
        let first = try place.makeTemporary(&generator)
        place.removeTemporary(first.name)
        try folder.link(first.name, to: "victim")
        generator = SeededGenerator(seed: 5)
        let second = try place.makeTemporary(&generator)
        try second.file.writeAll("new".utf8)
        try place.moveHere(second.name)
        #expect(folder.text("victim") == "precious" && folder.text("r") == "new")
        #expect(try folder.names == [first.name, "r", "victim"].sorted())
    }

    @Test("A path at which no file can be created is an error")
    func others() throws {
        try folder.link("nowhere", to: folder.path("none/page"))
        for name in ["nowhere", "none/"] {
            #expect(throws: FileError.self) { try WholeFile(folder.url.path + "/" + name) }
        }
    }

    @Test("A new file in a folder without write permission is an error", .notRoot)
    func readOnly() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.url.path)
        #expect(throws: FileError.self) { try WholeFile(folder.path("page")) }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path)
    }
}
