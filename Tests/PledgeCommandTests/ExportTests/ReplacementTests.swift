import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Replacing a file", .serialized)
struct ReplacementTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func mode(_ name: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder.path(name))
        return attributes?[.posixPermissions] as? Int ?? 0
    }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []).sorted()
    }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
    }

    @Test("A new file is accessible only to its owner; a replaced one keeps its mode")
    func modes() throws {
        let file = try WholeFile(folder.path("new"))
        try file.write("one")
        #expect(mode("new") == 0o600)

        for kept in [0o640, 0o644, 0o600, 0o777] {
            try FileManager.default.setAttributes([.posixPermissions: kept], ofItemAtPath: folder.path("new"))
            try WholeFile(folder.path("new")).write("mode \(kept)")
            #expect(mode("new") == kept)
            #expect(folder.text("new") == "mode \(kept)")
        }
        #expect(names == ["new"])
    }

    @Test("A file that belongs to another user still does after it is replaced", .enabled(if: geteuid() == 0))
    func owners() throws {
        try folder.file("theirs", holding: "old")
        #expect(chown(folder.path("theirs"), 4711, 4712) == 0 && chmod(folder.path("theirs"), 0o640) == 0)
        try WholeFile(folder.path("theirs")).write("new")

        var status = stat()
        #expect(stat(folder.path("theirs"), &status) == 0 && status.st_mode & 0o7777 == 0o640)
        #expect((status.st_uid, status.st_gid) == (4711, 4712) && folder.text("theirs") == "new")
    }

    @Test("A link is followed to its file, and stays; one that leads nowhere is rejected")
    func links() throws {
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("deep"), withIntermediateDirectories: true)
        try folder.file("deep/page", holding: "old")
        try link("page", to: "deep/page")
        try link("again", to: folder.path("page"))
        try WholeFile(folder.path("again")).write("new")
        #expect(folder.text("deep/page") == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("page")) == "deep/page")

        try link("nowhere", to: folder.path("deep/none"))
        #expect(throws: Failure.self) { try WholeFile(folder.path("nowhere")) }
        #expect(names == ["again", "deep", "nowhere", "page"])
    }

    @Test("A file planted under the name of the new file is not opened, and another name is used")
    func planted() throws {
        try folder.file("victim", holding: "precious")
        try folder.file("r", holding: "old")
        // With the seed, an attacker would know the name.
        let foreseen = try SystemPlace(folder.path("r"), dice: SeededGenerator(seed: 5))
        let first = try foreseen.makeNeighbor(like: nil)
        foreseen.removeNeighbor(first.name)
        try link(first.name, to: "victim")

        let place = try SystemPlace(folder.path("r"), dice: SeededGenerator(seed: 5))
        let old = try place.open(O_RDWR)
        let replacement = try Replacement(of: place, old: old)
        try replacement.file.writeAll("new".utf8)
        try replacement.takePlace()

        #expect(folder.text("victim") == "precious" && folder.text("r") == "new")
        #expect(names == [first.name, "r", "victim"].sorted())
    }

    @Test("An abandoned replacement leaves nothing behind, and the old file as it was")
    func givenUp() throws {
        try folder.file("r", holding: "old")
        let place = try SystemPlace(folder.path("r"))
        let old = try place.open(O_RDWR)
        do {
            let replacement = try Replacement(of: place, old: old)
            try replacement.file.writeAll([1, 2, 3])
            #expect(names.count == 2)
            _ = replacement
        }
        #expect(names == ["r"] && folder.text("r") == "old")
    }

    @Test("A file that has become another one is not replaced")
    func swapped() throws {
        try folder.file("r", holding: "old")
        try folder.file("other", holding: "theirs")
        let place = try SystemPlace(folder.path("r"))
        let old = try place.open(O_RDWR)
        let replacement = try Replacement(of: place, old: old)
        try FileManager.default.removeItem(atPath: folder.path("r"))
        try link("r", to: "other")

        #expect(throws: Failure.self) { try replacement.takePlace() }
        #expect(folder.text("other") == "theirs")
    }

    @Test("A device is written to directly, and what cannot be a file in a writable folder is an error")
    func others() throws {
        try WholeFile("/dev/null").write("gone")
        #expect(throws: Failure.self) { try WholeFile(folder.url.path) }
        #expect(throws: Failure.self) { try WholeFile(folder.path("none/page")) }
        #expect(throws: Failure.self) { try WholeFile(folder.url.path + "/none/") }
        guard geteuid() != 0 else { return }
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.url.path)
        #expect(throws: Failure.self) { try WholeFile(folder.path("page")) }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path)
    }
}
