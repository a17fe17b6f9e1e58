import Foundation
import PledgeFiles
import PledgeTestSupport
import Testing

/// Expects that a closure leaves neither the folder nor anything in it open. Only this folder is checked, because other tests
/// open files at the same time.
func expectClosed(in folder: TemporaryFolder, _ body: () throws -> Void) rethrows {
    func paths() -> [String] {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        return descriptors.compactMap(Int32.init).sorted().compactMap { descriptor in
            var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
            #if canImport(Darwin)
                let isOpen = fcntl(descriptor, F_GETPATH, &path) == 0
            #else
                let isOpen = readlink("/proc/self/fd/\(descriptor)", &path, path.count) > 0
            #endif
            return isOpen ? String(decoding: path.prefix { $0 != 0 }, as: UTF8.self) : nil
        }.filter { $0.contains(folder.url.lastPathComponent) }
    }
    let before = paths()
    try body()
    #expect(paths() == before)
}

@Suite("The path of a file to write")
struct OutputPathTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.folder("deep")
    }

    /// The owner of the files and links that another user has planted.
    private static let nobody: uid_t = 1

    private func link(_ name: String, to target: String, of owner: uid_t = geteuid()) throws {
        try folder.link(name, to: target)
        try #require(lchown(folder.path(name), owner, gid_t.max) == 0)
    }

    private func file(_ name: String, mode: mode_t = 0o600, of owner: uid_t = geteuid()) throws {
        try folder.file(name, holding: "before")
        try #require(chmod(folder.path(name), mode) == 0 && chown(folder.path(name), owner, gid_t.max) == 0)
    }

    /// Writes to a file as the option `--output` does, and returns the error, if there is one.
    private func write(_ path: String, mode: mode_t = 0o600, followingLink: Bool = true) -> FileError? {
        do throws(FileError) {
            let file = try OutputPath(path, mode: mode, followingLink: followingLink).openFile(O_RDWR | O_CREAT)
            ftruncate(file.descriptor, 0)
            _ = Foundation.write(file.descriptor, "after", 5)
            return nil
        } catch {
            return error
        }
    }

    @Test("A file is found by any form of its path, and is created with the requested mode")
    func paths() throws {
        for path in ["new", "deep/new", "./deep//../new2", "deep/./.hidden", "n ew\u{301}"] {
            #expect(write(folder.path("") + "/" + path) == nil, "\(path)")
            #expect(folder.text(path) == "after" && folder.mode(path) == 0o600, "\(path)")
        }
        #expect(try OutputPath(folder.path("deep/new")).resolved == folder.path("deep/new"))
        #expect(try OutputPath("relative").resolved == "./relative")
        let wide = try OutputPath(folder.path("deep/wide"), mode: 0o666).makeTemporary()
        #expect(folder.mode("deep/\(wide.name)") == 0o666)
        withExtendedLifetime(wide) {}
        for path in ["", "/", "deep", "deep/", "new/", "..", ".", "deep/..", "none/new", "new/below"] {
            #expect(write(path.isEmpty || path == "/" ? path : folder.path("") + "/" + path) != nil, "\(path)")
        }
        #expect(write("")?.description == "The path of a file to write is empty." && write("")?.code == 0)
        let (path, url) = (folder.path("deep/new"), folder.url.appendingPathComponent("deep/new"))
        let beside = OutputPath(try OutputPath(folder.path("deep/n")), "ew")
        for file in [try OutputPath(inFolderOf: url), beside] {
            #expect([file.path, file.resolved, file.fileName] == [path, path, "new"] && file.mode == 0o600)
            #expect(file.isTaken && file.isOpenToFiles)
        }
        #expect(throws: FileError.self) { try OutputPath(inFolderOf: url.appendingPathComponent("new")).open() }
        #expect(throws: FileError.self) { try OutputPath(inFolderOf: folder.url.appendingPathComponent("none/new")) }
        try link("round", to: "round")
        try file("wide", mode: 0o666)
        expectClosed(in: folder) { ["none/new", "round", "wide"].forEach { #expect(write(folder.path($0)) != nil) } }
    }

    @Test("Symbolic links of the caller are followed, even to a file that doesn't exist yet, and stay links")
    func ownLinks() throws {
        try file("deep/page")
        try link("page", to: "deep/page")
        try link("again", to: folder.path("page"))
        try link("later", to: "l")
        try link("below", to: "deep")
        for name in ["again", "later", "below/new"] { #expect(write(folder.path(name)) == nil, "\(name)") }
        for name in ["deep/page", "l", "deep/new"] { #expect(folder.text(name) == "after", "\(name)") }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("page")) == "deep/page")
        #expect(try OutputPath(folder.path("again")).resolved == folder.path("deep/page"))
        try link("round", to: "about")
        try link("about", to: "round")
        #expect(write(folder.path("round"))?.code == ELOOP)
        #expect(write(folder.path("page"), followingLink: false)?.code == ELOOP)
        for number in 1...41 { try link("\(number)", to: "\(number + 1)") }
        #expect(write(folder.path("2")) == nil && write(folder.path("1"))?.code == ELOOP)
    }

    @Test(
        "In a folder that anyone may write to, even the caller's links aren't followed, and no database is created"
    )
    func sharedFolder() throws {
        try file("victim")
        try #require(chmod(folder.path("deep"), 0o1777) == 0)
        try link("deep/page", to: "../victim")
        #expect(write(folder.path("deep/page"))?.code == ELOOP)
        #expect(write(folder.path("deep/new")) == nil)
        #expect(folder.text("victim") == "before")
        for (mode, isRefused) in [(0o700, false), (0o755, false), (0o702, true), (0o1777, true)] as [(mode_t, Bool)] {
            try #require(chmod(folder.path("deep"), mode) == 0)
            let path = try OutputPath(folder.path("deep/new"))
            #expect((thrown(FileError.self) { try path.refuseSharedFolder() } != nil) == isRefused, "\(mode)")
        }
    }

    @Test("A folder that a group may write to counts as shared unless the owner is the group's only member")
    func groups() throws {
        func isShared(_ mode: mode_t, _ group: gid_t, by owner: uid_t = 0) -> Bool {
            var folder = stat()
            (folder.st_mode, folder.st_gid) = (S_IFDIR | mode, group)
            return OutputPath.isShared(folder, by: owner)
        }
        #expect(!isShared(0o755, 65_534) && isShared(0o702, 0) && isShared(0o1777, 0))
        // These are the group of root, a group whose name differs from the owner's, and a group that the system doesn't know.
        #expect(!isShared(0o770, 0) && isShared(0o770, 65_534) && isShared(0o2775, 4_211_001))
        guard let user = getpwnam("daemon")?.pointee, let group = getgrnam("daemon")?.pointee else { return }
        let isAlone = group.gr_mem?.pointee == nil
        #expect(isShared(0o770, group.gr_gid, by: user.pw_uid) != isAlone)
        #expect(isShared(0o770, group.gr_gid, by: user.pw_uid + 1))
    }

    @Test("A symbolic link that another user has planted is not followed, neither to a file nor to a folder", .twoUsers)
    func plantedLinks() throws {
        try file("deep/victim")
        try link("page", to: "deep/victim", of: Self.nobody)
        try link("below", to: "deep", of: Self.nobody)
        try folder.folder("theirs")
        try link("theirs/page", to: "../deep/victim")
        try #require(chown(folder.path("theirs"), Self.nobody, gid_t.max) == 0)
        for name in ["page", "below/victim", "below/new", "theirs/page"] {
            #expect(write(folder.path(name))?.description.contains("symbolic link") == true, "\(name)")
        }
        #expect(folder.text("deep/victim") == "before")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("deep")) == ["victim"])
    }

    @Test("Another user's file is neither written nor truncated", .twoUsers)
    func plantedFile() throws {
        for mode: mode_t in [0o666, 0o600] {
            try file("theirs", mode: mode, of: Self.nobody)
            #expect(write(folder.path("theirs"))?.description.contains("belongs to another user") == true)
            #expect(folder.text("theirs") == "before")
        }
        try #require(mkfifo(folder.path("pipe"), 0o666) == 0)
        try #require(chown(folder.path("pipe"), Self.nobody, gid_t.max) == 0)
        let reader = open(folder.path("pipe"), O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        #expect(OutputPath.isStream(folder.path("pipe")))
        #expect(throws: FileError.self) { try SystemFile(stream: folder.path("pipe")) }
    }

    @Test("An existing file is not written if more users can access it than could access a new file")
    func wideModes() throws {
        for (mode, wanted, isFine) in [
            (0o600, 0o600, true), (0o400, 0o600, geteuid() == 0), (0o644, 0o644, true), (0o600, 0o644, true),
            (0o644, 0o600, false), (0o666, 0o644, false), (0o602, 0o600, false),
        ] as [(mode_t, mode_t, Bool)] {
            try? FileManager.default.removeItem(atPath: folder.path("page"))
            try file("page", mode: mode)
            let error = write(folder.path("page"), mode: wanted)
            #expect((error == nil) == isFine && folder.text("page") == (isFine ? "after" : "before"), "\(mode)")
        }
        #expect(
            write(folder.path("page"))?.description.contains("(mode 602), and was not changed: run “chmod 600") == true)
    }

    @Test("A path like /dev/fd/3 writes to that open descriptor at its current position, and ignores the file's mode")
    func streams() throws {
        try file("out", mode: 0o644)
        let shell = open(folder.path("out"), O_WRONLY | O_APPEND)
        defer { close(shell) }
        for path in ["/dev/fd/\(shell)", "/proc/self/fd/\(shell)"] {
            #expect(OutputPath.isStream(path))
            try SystemFile(stream: path).writeAll("+".utf8)
        }
        #expect(folder.text("out") == "before++")
        _ = try SystemFile(stream: "/dev/null")
        #expect(throws: FileError.self) { try SystemFile(stream: "/dev/fd/999999") }
        #expect(thrown(FileError.self) { try SystemFile(stream: folder.path("deep")) }?.code == EISDIR)
        #expect(!OutputPath.isStream(folder.path("out")) && !OutputPath.isStream(folder.path("none")))
    }

    @Test("A temporary file and its SQLite journal are removed together, or both stay until the next run")
    func journals() throws {
        let path = try OutputPath(folder.path("study.db"))
        try folder.file(".pledge-2.tmp", holding: "")
        // A journal that cannot be removed.
        try folder.folder(".pledge-2.tmp-journal")
        path.removeTemporary(".pledge-2.tmp")
        #expect(path.removeAbandoned() == [])
        #expect(try folder.names == [".pledge-2.tmp", ".pledge-2.tmp-journal", "deep"])
        try folder.remove(".pledge-2.tmp-journal")
        #expect(path.removeAbandoned() == [".pledge-2.tmp"])
    }

    /// Mounts the folder so that every file in it has this owner and mode, even after a program has set a different owner or
    /// mode.
    private func mount(owner: String, permissions: String, _ body: (_ path: String) throws -> Void) throws {
        let mounted = try TemporaryFolder()
        let options = "force-user=\(owner),perms=\(permissions),chmod-ignore,chown-ignore"
        let program = try RunningProgram(["bindfs", "-f", "-o", options, folder.path(""), mounted.path("")])
        defer {
            _ = try? Executable.run(["umount", "-l", mounted.path("")])
            // The program would not exit by itself while something in the mounted folder is open.
            program.send(SIGKILL)
            program.wait()
        }
        // Waits until the mounted folder shows the contents of the other folder.
        while !FileManager.default.fileExists(atPath: mounted.path("deep")) { try #require(program.isRunning) }
        try body(mounted.path(""))
    }

    @Test(
        "If a file system keeps no owners and modes, files are written with a note, but secrets are refused",
        .needs("bindfs", "umount"), .twoUsers,
        .enabled(if: access("/dev/fuse", R_OK | W_OK) == 0, "file systems cannot be mounted here"))
    func keepsNoModes() throws {
        // The number of notes varies, because a run of the tool in another test may take one or two of them.
        var (notes, places): (Int, [OutputPath]) = (0, [])
        defer { #expect(1...3 ~= notes) }
        for (owner, permissions) in [("root", "a=rwX"), ("nobody", "u=rw"), ("nobody", "a=rwX")] {
            try mount(owner: owner, permissions: permissions) { (path: String) throws in
                for _ in 0..<2 { #expect(write("\(path)/new") == nil) }
                #expect(folder.text("new") == "after")
                places.append(try OutputPath("\(path)/new"))
                try places.last?.refuseSharedFolder()
                let noted = OutputPath.takeUnprotected().count { path.contains($0) }
                #expect(noted <= 1)
                notes += noted
                #expect(!OutputPath.takeUnprotected().contains { path.contains($0) })
                #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == ["deep", "new"])
                let error = thrown(FileError.self) { try OutputPath("\(path)/new", isSecret: true).openFile(O_RDWR) }
                #expect(error?.description.contains("doesn't store owners and permissions") == true)
                let new = try OutputPath("\(path)/token", isSecret: true)
                #expect(thrown(FileError.self) { try Replacement(of: new, old: nil) } != nil)
                #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == ["deep", "new"])
            }
        }
        // In the folders that were unmounted, every call fails. In /proc, syncing a folder isn't supported, but that doesn't
        // count as an error.
        for place in places {
            #expect(thrown(FileError.self) { try place.syncFolder() }?.code == ENOTCONN)
            #expect(thrown(FileError.self) { try place.makeTemporary() }?.code == ENOTCONN)
        }
        try OutputPath("/proc/new").syncFolder()
    }

    @Test("A file that its group may write is accepted only in a folder shared with the group, and never for secrets")
    func folderGroup() throws {
        try #require(chmod(folder.path("deep"), 0o2770) == 0)
        try file("deep/shared", mode: 0o660)
        #expect(write(folder.path("deep/shared")) == nil)
        let secret = OutputPath(try OutputPath(folder.path("deep/sha"), isSecret: true), "red")
        #expect(throws: FileError.self) { try secret.openFile(O_RDWR) }
        #expect(throws: FileError.self) { try secret.check() }
        _ = try OutputPath(inFolderOf: folder.url.appendingPathComponent("deep/shared")).openFile(O_RDWR)
        for (name, mode) in [("deep/open", 0o666), ("plain", 0o660)] as [(String, mode_t)] {
            try file(name, mode: mode)
            #expect(write(folder.path(name)) != nil)
        }
    }

    @Test("Creating a temporary file removes the temporary files beside it whose writers have died, and no other files")
    func abandoned() throws {
        let folder = try TemporaryFolder()
        let place = try OutputPath(folder.path("r"))
        let alive = try place.makeTemporary()
        for name in [".pledge-1.tmp", ".pledge-1.tmp-journal", ".pledge-notes", "mine.tmp"] {
            try folder.file(name, holding: "x")
        }
        try folder.link(".pledge-2.tmp", to: "mine.tmp")
        try folder.folder(".pledge-3.tmp")
        let other = try place.makeTemporary()
        #expect(
            try folder.names
                == [alive.name, other.name, ".pledge-2.tmp", ".pledge-3.tmp", ".pledge-notes", "mine.tmp"].sorted())
        place.removeTemporary(other.name)
        let replacement = try Replacement(of: place, old: nil)
        #expect(place.removeAbandoned() == [] && place.temporaries.contains(replacement.temporary))
        try folder.folder("r")
        #expect(throws: FileError.self) { try replacement.replaceOriginal() }
    }
}
