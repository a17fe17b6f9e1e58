import Foundation
import PledgeFiles
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Lines of a file", .serialized)
final class WakePipeTests: FolderSuite {
    private func lines(_ text: String, limit: Int = 1 << 20) throws -> [LineReader.Line] {
        let handle = try FileHandle(forReadingFrom: folder.file("in", holding: text))
        defer { try? handle.close() }
        let reader = LineReader(limit: limit, read: LineReader.bytes(of: handle.fileDescriptor, wake: try WakePipe()))
        var lines: [LineReader.Line] = []
        while let line = try reader.next() { lines.append(line) }
        return lines
    }

    @Test("Each line has its bytes and its length, and the last may lack its end")
    func plain() throws {
        let lines = try lines("one\n\nthree")

        #expect(lines.map { String(decoding: $0.bytes, as: UTF8.self) } == ["one", "", "three"])
        #expect(lines.map(\.range.count) == [4, 1, 5])
        #expect(lines.map(\.isWhole) == [true, true, false])
    }

    @Test("Of a line longer than the limit and the buffer, the beginning is kept and the last byte known")
    func long() throws {
        let lines = try lines(String(repeating: "x", count: 700_000) + "}\nnext\n", limit: 10)

        #expect(lines.map(\.bytes.count) == [10, 4])
        #expect(lines.map(\.range.count) == [700_002, 5])
        #expect(lines[0].last == UInt8(ascii: "}"))
    }

    @Test("A NUL is detected, wherever it is")
    func hole() throws {
        #expect(
            try lines("a\0b\nc\n" + String(repeating: "x", count: 50) + "\0\n", limit: 4).map(\.hasZeros) == [
                true, false, true,
            ])
    }

    @Test("A reader that waits for input can be woken, and is then at its end")
    func wake() throws {
        let (pipe, wake) = (Pipe(), try WakePipe())
        let input = LineReader.bytes(of: pipe.fileHandleForReading.fileDescriptor, wake: wake)
        let reader = LineReader(limit: 100, read: input)
        pipe.fileHandleForWriting.write(Data("one\n".utf8))
        #expect(try reader.next()?.bytes == Array("one".utf8))

        wake.signal()

        #expect(try reader.next() == nil)
        withExtendedLifetime(pipe) {}
    }
}
