import Foundation
import PledgeFiles
import PledgeTestSupport
import Testing

/// A simulated disk with one file. It records the calls that it receives, and can be full, slow, or shared with others.
private final class Disk: FileLocation {
    final class File: RawFile {
        unowned let disk: Disk
        let name = "lines"
        var text = ""

        init(_ disk: Disk) { self.disk = disk }

        func write(_ bytes: UnsafeRawBufferPointer, at offset: Int?) throws(FileError) -> Int {
            guard disk.room > 0 || bytes.isEmpty else { throw FileError(writing: name, ENOSPC) }
            let count = min(bytes.count, disk.room, disk.mostAtOnce)
            disk.room -= count
            text += String(decoding: bytes.prefix(count), as: UTF8.self)
            disk.log.append("write")
            return count
        }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileError) -> Int {
            disk.log.append("read")
            guard disk.log.count < 100 else { throw FileError(reading: name, EIO) }
            let bytes = text.utf8.dropFirst(offset).prefix(min(buffer.count, disk.mostAtOnce))
            buffer.copyBytes(from: bytes)
            return bytes.count
        }

        func truncate(to length: Int) throws(FileError) {
            let zeros = String(repeating: "\0", count: max(0, length - text.utf8.count))
            text = String(decoding: (text + zeros).utf8.prefix(length), as: UTF8.self)
            disk.log.append("truncate")
        }

        func length() throws(FileError) -> Int { text.utf8.count }
        func sync() throws(FileError) { disk.log.append("sync") }
        func lock() -> Bool { !disk.isLocked }
        func unlock() {}
    }

    let path = "lines"
    lazy var file = File(self)
    lazy var temporary = File(self)
    var log: [String] = []
    var (room, mostAtOnce) = (1_000, 1_000)
    var (isLocked, isReplaced) = (false, false)

    init(_ text: String = "") { file.text = text }

    var isTaken: Bool { true }
    func open() throws -> any RawFile { file }
    func holds(_ other: any RawFile) -> Bool { !isReplaced && other === file }
    func currentPath(of file: any RawFile) -> String? { nil }
    func beside(_ suffix: String) throws -> any FileLocation { self }
    func makeTemporary() throws -> (file: any RawFile, name: String) { (temporary, "new") }
    func removeTemporary(_ temporary: String) { log.append("remove") }
    func syncFolder() throws { log.append("sync folder") }

    func moveHere(_ temporary: String) throws {
        file = self.temporary
        log.append("rename")
    }
}

@Suite("A file of lines")
struct LinesFileTests {
    private func open(_ disk: Disk, keeping length: Int? = nil) throws -> LinesFile {
        let lines = try LinesFile(at: disk, continuing: "go on")
        if let length { try lines.truncate(toLines: length) }
        return lines
    }

    private func append(_ texts: [String], to lines: LinesFile) throws {
        try lines.append { write in try texts.forEach { try write(Array($0.utf8)) } }
    }

    @Test("A file's name, its existing lines, and appended lines count only after they are synced to the disk")
    func synced() throws {
        let disk = Disk("a\n")
        let lines = try open(disk)
        #expect(disk.log == ["sync folder"])
        try lines.truncate(toLines: 2)
        #expect(disk.log == ["sync folder", "truncate", "sync"] && lines.length == 2)
        try append(["b\n", "c\n"], to: lines)
        #expect(disk.log.dropFirst(3) == ["write", "write", "sync"] && lines.length == 6)
        #expect(thrown(FileError.self) { try lines.append { _ in throw FileError("none") } }?.description == "none")
    }

    @Test("A replacement is synced before it takes the place of the old file, and the folder is synced after that")
    func replaced() throws {
        let disk = Disk("old")
        for syncs in [true, false] {
            let copy = try Replacement(of: disk, old: disk.file)
            try copy.file.writeAll("new".utf8)
            try syncs ? copy.replaceOriginal() : copy.replaceOriginal(syncs: false)
        }
        #expect(disk.log == ["write", "sync", "rename", "sync folder", "write", "rename"])
        #expect(disk.file.text == "newnew")
    }

    @Test("Reads and writes continue until all bytes are transferred, and reads fail if the file ends before that")
    func slow() throws {
        let disk = Disk("a\nbb\nc\n")
        let lines = try open(disk, keeping: 7)
        disk.mostAtOnce = 3
        try append(["one lie\n"], to: lines)
        try lines.drop([2..<5])
        #expect(disk.file.text == "a\nc\none lie\n" && lines.length == 12)
        disk.file.text = "a\n"
        let error = thrown(FileError.self) { try lines.drop([0..<2]) }
        #expect(error?.description == "lines was truncated while it was being read.")
    }

    @Test("A file is not opened if another process is writing it, or has replaced it before it could be locked")
    func locked() throws {
        for (isLocked, isReplaced) in [(true, false), (false, true)] {
            let disk = Disk()
            (disk.isLocked, disk.isReplaced) = (isLocked, isReplaced)
            #expect(throws: FileError.self) { try open(disk) }
        }
    }

    @Test("If lines don't fit on the disk, all of them are removed, and earlier lines stay")
    func full() throws {
        for room in 1..<6 {
            let disk = Disk("a\n")
            let lines = try open(disk, keeping: 2)
            disk.room = room
            let error = thrown(FileError.self) { try append(["bb\n", "cc\n"], to: lines) }
            #expect(error?.description.hasSuffix("is intact: go on when the file can be written again.") == true)
            #expect(disk.file.text == "a\n" && lines.length == 2, "room for \(room)")
        }
    }

    @Test("Nothing is written to a file that another program has lengthened, shortened, or replaced")
    func changed() throws {
        for change in [{ $0.file.text += "x\n" }, { $0.file.text = "" }, { $0.isReplaced = true }] as [(Disk) -> Void] {
            let disk = Disk("a\n")
            let lines = try open(disk, keeping: 2)
            change(disk)
            let text = disk.file.text
            #expect(throws: FileError.self) { try append(["b\n"], to: lines) }
            #expect(disk.file.text == text)
        }
    }

    private func scan(_ lines: LinesFile) throws -> LineScan {
        try LineScan(LineReader(lines.file, limit: 10), opening: "-") { line in
            if line.bytes == Array("o".utf8) { return .foreign("is another's") }
            return line.bytes.allSatisfy { (0x30...0x39).contains($0) } ? .result : .unreadable
        }
    }

    @Test(
        "A file with foreign lines is refused, and the error names the first five of these lines",
        arguments: [
            ("\0x", ": line 1 is not a result."), ("x", ": line 1 is not a result."),
            ("1\nx", ": line 2 is not a result."), ("1\0\n2\n", ": line 1 is damaged."),
            ("o", ": line 1 is another's."),
            ("x\no\n1\n", ": line 1 is not a result; line 2 is another's."),
            (String(repeating: "x\n", count: 5), "line 5 is not a result."),
            (String(repeating: "x\n", count: 6), "line 5 is not a result; and 1 more line."),
            (String(repeating: "x\n", count: 7), "line 5 is not a result; and 2 more lines."),
        ])
    func refused(text: String, words: String) throws {
        let refusal = try scan(open(Disk(text))).refusal(of: "lines")
        #expect(refusal?.contains(words) == true, "\(refusal ?? "none")")
    }

    @Test(
        "A file that was cut off keeps its whole lines, and a last line that lacks only its line break",
        arguments: [
            ("", ""), ("1\n2\n", "1\n2\n"), ("1\n2", "1\n2\n"), ("1\n-", "1\n"), ("1\n2\n\0\0", "1\n2\n"),
            ("1\n\0\0\0\n\0", "1\n"), ("1\n-\0\n", "1\n"), ("-", ""), ("\0\0", ""),
        ])
    func cutOff(text: String, kept: String) throws {
        let disk = Disk(text)
        let lines = try open(disk)
        let scan = try scan(lines)
        #expect(scan.refusal(of: "lines") == nil)
        try lines.truncate(toLines: scan.wholeLength)
        #expect(disk.file.text == kept && lines.length == kept.utf8.count)
    }

    @Test(
        "A line is read the same way in pieces of any size; a line beyond the limit is cut off",
        arguments: 1...9)
    func pieces(size: Int) throws {
        var rest = Array("0123456789abcdef\n\nok\n\0z".utf8)[...]
        var (lines, ends): ([LineReader.Line], Int) = ([], 0)
        let reader = LineReader(limit: 10) { buffer in
            let part = rest.prefix(size)
            ends += part.isEmpty ? 1 : 0
            rest = rest.dropFirst(size)
            buffer.copyBytes(from: part)
            return part.count
        }
        while let line = try reader.next() { lines.append(line) }
        #expect(lines.map { String(decoding: $0.bytes, as: UTF8.self) } == ["0123456789", "", "ok", "\0z"])
        #expect(lines.map(\.range) == [0..<17, 17..<18, 18..<21, 21..<23] && lines.map(\.number) == [1, 2, 3, 4])
        #expect(lines.map { $0.isWhole && !$0.hasZeros && !$0.isDamaged } == [true, true, true, false])
        #expect(try lines[3].hasZeros && lines[3].isDamaged && !lines[3].isWhole && reader.next() == nil && ends == 1)
    }
}
