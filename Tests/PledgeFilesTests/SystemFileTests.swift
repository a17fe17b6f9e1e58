import Foundation
import PledgeFiles
import PledgeTestSupport
import Testing

@Suite("A file on a disk")
struct SystemFileTests {
    private let folder: TemporaryFolder
    init() throws {
        folder = try TemporaryFolder()
        try folder.file("lines", holding: "a\nbb\n-")
    }

    private func open() throws -> LinesFile { try LinesFile(at: OutputPath(folder.path("lines")), continuing: "go on") }

    @Test("Lines of any length can be appended and removed, but only one writer at a time can open the file")
    func lines() throws {
        let lines = try open()
        let error = thrown(FileError.self) { try open() }
        #expect(error?.description.contains("lines is being written by another process") == true)
        try lines.truncate(toLines: 5)
        let long = String(repeating: "x", count: 70_000) + "\n"
        try lines.append { write in try ["c\n", long, "d\n"].forEach { try write(Array($0.utf8)) } }
        #expect(folder.text("lines") == "a\nbb\nc\n\(long)d\n")
        try lines.drop([2..<5, 70_008..<70_010])
        #expect(folder.text("lines") == "a\nc\n\(long)" && lines.length == 70_005)
        try lines.append { try $0(Array("e\n".utf8)) }
        #expect(try folder.text("lines") == "a\nc\n\(long)e\n" && folder.names == ["lines"])
        lines.unlock()
        try open().truncate(toLines: 4)
        #expect(folder.text("lines") == "a\nc\n")
    }

    @Test("If a file is renamed, replaced, or deleted while it is written, an error says what happened")
    func gone() throws {
        let (path, moved) = (folder.path("lines"), folder.path("moved"))
        for (words, change) in [
            ("was renamed while it was being written; its content is in", { rename(path, moved) }),
            ("was replaced by another file", { rename(moved, path) }),
            ("was deleted while it was being written", { unlink(path) }),
        ] {
            let lines = try open()
            try lines.truncate(toLines: 2)
            try lines.checkLocation()
            #expect(change() == 0)
            let error = thrown(FileError.self) { try lines.append { try $0([0x62, 0x0A]) } }
            #expect(error?.description.contains("lines \(words)") == true, "\(words): \(error?.description ?? "none")")
        }
    }

    @Test("A replacement file appears only when it is complete; an abandoned replacement leaves nothing behind")
    func replacement() throws {
        let path = try OutputPath(folder.path("lines"), mode: 0o640)
        do {
            let abandoned = try Replacement(of: path, old: nil)
            try abandoned.file.writeAll("new".utf8)
            #expect(path.temporaries == [abandoned.temporary] && path.removeAbandoned().isEmpty)
        }
        #expect(path.temporaries.isEmpty && folder.text("lines") == "a\nbb\n-")
        for isThere in [false, true] {
            let copy = try Replacement(of: path, old: isThere ? path.open() : nil)
            try copy.file.writeAll("new".utf8)
            try copy.replaceOriginal()
            #expect(folder.text("lines") == "new" && folder.mode("lines") == 0o640)
        }
        expectClosed(in: folder) { _ = path.temporaries }
        // The replacement fails, because the path now has a different file.
        let copy = try Replacement(of: path, old: try OutputPath(folder.path("other")).open())
        #expect(throws: FileError.self) { try copy.replaceOriginal() }
        try folder.link("lines.log", to: "other")
        let beside = try path.beside(".log")
        #expect(beside.path == folder.path("lines.log") && thrown(FileError.self) { try beside.open() }?.code == ELOOP)
    }

    @Test("While a file lock is held, nobody else gets even a shared lock; after its release, others can lock the file")
    func exclusive() throws {
        let path = folder.path("name.lock")
        try folder.link("link", to: "other")
        #expect(throws: FileError.self) { try FileLock(folder.path("link")) }
        let lock = try FileLock(path)
        let other = Foundation.open(path, O_RDWR)
        defer { close(other) }
        #expect(flock(other, LOCK_SH | LOCK_NB) != 0)
        lock.release()
        // A copy of the descriptor doesn't hold the lock either. A process that is being started has such a copy for a moment.
        let copy = try withExtendedLifetime(OutputPath(path).openFile(O_RDWR)) { $0.lock() ? dup($0.descriptor) : -1 }
        defer { close(copy) }
        #expect(copy >= 0 && flock(other, LOCK_EX | LOCK_NB) == 0)
        #expect(folder.mode("name.lock") == 0o600)
        #expect(try !OutputPath(path).openFile(O_RDWR).lockIfPossible() && SystemFile(-1, named: "").lockIfPossible())
    }

    @Test("A file has the same identity by every path; a file that doesn't exist yet is identified by its location")
    func identity() throws {
        try folder.folder("deep")
        try folder.link("link", to: "lines")
        let found = ["lines", "link", "new", "deep/../new", "other", "deep/new", "deep", "none/new"]
            .map { FileIdentity(path: folder.path($0)) }
        let files = ["lines", "deep"].compactMap { SystemFile(reading: folder.path($0)) }
        #expect(files.map { FileIdentity($0.descriptor) } == [found[0], nil] && found[6] ?? found[7] == nil)
        #expect(found[1] == found[0] && found[3] == found[2])
        #expect(Set(found.compactMap(\.self)).count == 4)
    }

    @Test("A system call is repeated as long as it is interrupted, but not after another error")
    func interrupted() {
        var codes = [EINTR, EINTR, EBADF, 0]
        let result = retryingOnInterrupt { () -> Int in
            errno = codes.removeFirst()
            return errno == 0 ? 0 : -1
        }
        #expect(result == -1 && codes == [0])
        (codes, errno) = ([0, 1], EINTR)
        #expect(retryingOnInterrupt { codes.removeFirst() } == 0)
    }

    @Test("OpenFiles raises the process's limit of open files to 10,240, or as far as the system permits")
    func limit() {
        var limit = rlimit()
        getrlimit(OpenFiles.kind, &limit)
        defer { setrlimit(OpenFiles.kind, &limit) }
        var lower = rlimit(rlim_cur: min(10_239, limit.rlim_max), rlim_max: limit.rlim_max)
        setrlimit(OpenFiles.kind, &lower)
        let raised = OpenFiles.raiseLimit()
        #expect(raised == min(10_240, Int(clamping: limit.rlim_max)) && sysconf(Int32(_SC_OPEN_MAX)) == raised)
    }

    @Test("A file can be read at any offset; a call throws an error if the file or stream doesn't support it")
    func reading() throws {
        let file = try #require(SystemFile(reading: folder.path("lines")))
        #expect(try file.read(2, at: 2) == Array("bb".utf8) && file.read(9, at: 5) == Array("-".utf8))
        #expect(try file.read(9, at: 6).isEmpty && file.length() == 6 && file.isRegular && file.hasName)
        #expect(SystemFile(reading: folder.path("none")) == nil)
        #expect(throws: FileError.self) { try file.writeAll("b".utf8) }
        #expect(throws: FileError.self) { try file.truncate(to: 0) }
        let writer = try OutputPath(folder.path("lines")).openFile(O_WRONLY)
        #expect(throws: FileError.self) { try writer.read(1, at: 0) }
        try writer.writeAll("cc".utf8, at: 2)
        #expect(folder.text("lines") == "a\ncc\n-")
        try FileManager.default.removeItem(atPath: folder.path("lines"))
        #expect(!file.hasName && SystemFile(reading: folder.path(""))?.isRegular == false)
        let pipe = Pipe()
        let stream = SystemFile(pipe.fileHandleForWriting.fileDescriptor, named: "pipe", closes: false)
        let calls: [() throws -> Void] = [{ _ = try stream.length() }, stream.sync]
        #expect(calls.allSatisfy { thrown(FileError.self, by: $0) != nil } && !stream.isRegular)
        #expect(thrown(FileError.self) { try LinesFile(file).append { try $0([0x61]) } }?.code == EBADF)
        try folder.file("lines", holding: "SQLite format 3\0…")
        #expect(try SystemFile(reading: folder.path("lines"))?.isDatabase == true && !file.isDatabase)
        let lines = LinesFile(stream)
        try lines.append { try $0(Array("through".utf8)) }
        #expect(try lines.length == 7 && pipe.fileHandleForReading.read(upToCount: 7) == Data("through".utf8))
    }

    @Test(
        "A token file is refused if everyone may write to it; it is accepted if only its group may, or if others may read it",
        arguments: [(0o600, false), (0o644, false), (0o755, false), (0o660, false), (0o602, true), (0o646, true)]
            as [(mode_t, Bool)])
    func writers(mode: mode_t, isRefused: Bool) throws {
        let path = try folder.file("token", holding: "x").path
        try #require(chmod(path, mode) == 0)
        let file = try #require(SystemFile(reading: path))
        #expect((thrown(FileError.self) { try file.refuseOtherWriters() } != nil) == isRefused)
    }
}
