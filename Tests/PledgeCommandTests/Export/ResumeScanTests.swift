import Foundation
import PledgeFiles
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Scanning the results of an earlier run", .serialized)
final class ResumeScanTests: FolderSuite {
    private func scan(_ text: String) throws -> ResumeScan {
        let handle = try FileHandle(forReadingFrom: folder.file("r.jsonl", holding: text))
        defer { try? handle.close() }
        return try ResumeScan(SystemFile(handle.fileDescriptor, named: "r.jsonl", closes: false))
    }

    private func line(_ account: String, failed: Bool = false) throws -> String {
        try LineBuffer(AccountID(service: .exist, account: account), error: failed ? ("forbidden", false) : nil).text
    }

    @Test("The scan finds finished and failed accounts, even those with unusual or very long names")
    func whole() throws {
        let names = [
            "a", "with \"quotes\" and \\", "Åsa 🎈\n", String(repeating: "\u{1}", count: AccountLine.longestName),
        ]
        let text = try names.map { try line($0) }.joined() + line("f", failed: true)
        let scan = try scan(text)
        #expect(scan.done == Set((names + ["f"]).map { AccountID(service: .exist, account: $0).key }))
        #expect(scan.failures.map(\.id.key) == [AccountID(service: .exist, account: "f").key])
        #expect(scan.failures.map(\.kind) == ["forbidden"])
        #expect(scan.wholeLength == text.utf8.count)
    }

    @Test(
        "The scan accepts lines with other white space, and a last line without a line feed")
    func touched() throws {
        let (first, second) = (try line("a"), try line("b", failed: true))
        let spaced = second.replacingOccurrences(of: "\":", with: "\" : ")
        let (line, last) = (String(first.dropLast()), String(second.dropLast()))
        for text in ["\(line)\r\n\(second)", " \(line)\t \n\(spaced)", first + last] {
            let scan = try scan(text)
            #expect(scan.done.count == 2 && scan.failures.map(\.kind) == ["forbidden"])
            let end = text.utf8.count + (text.hasSuffix("\n") ? 0 : 1)
            #expect(scan.wholeLength == end && scan.failures.map(\.lines.upperBound) == [end])
        }
    }

    @Test("The error lists the line numbers of damaged, repeated, and foreign lines; other kinds of files are refused")
    func faults() throws {
        let (first, second) = (try line("a"), try line("b"))
        let text = first + "{\n" + second + "\0\n" + first + "{\"service\":\"exist\"}\n"
        let refusal = thrown(UsageError.self) { _ = try scan(text) }
        let words =
            "line 2 is not a result; line 4 is damaged; line 5 is a second line for exist account “a”; line 6 is not"
        #expect(refusal.map { "\($0)".contains(words) } == true, "\(String(describing: refusal))")
        for other in ["my diary\n", "\0\0\0\u{1}"] { #expect(throws: UsageError.self) { try scan(other) } }
        for end in ["x", "{\"service\":\"none\"}\n", first + "}\n", "[]\n"] {
            #expect(throws: UsageError.self) { try scan(second + end) }
        }
    }

    @Test("A result line that is longer than the buffers is written in pieces, and the scan can read it")
    func long() throws {
        let buffer = LineBuffer(AccountID(service: .exist, account: "a"))
        let text = String(repeating: "\\\"],[{", count: 50)
        try buffer.write { $0.object("profile") { $0.field("username", "u") } }
        try buffer.write { $0.objects("insights", 0..<9) { $0.field("text", "\($1)" + text) } }
        for part in 0..<25 {
            try buffer.write { json in
                if part == 0 { json.open("[", "values") }
                for number in part * 100..<(part + 1) * 100 {
                    json.object { json in
                        json.field("attribute", text)
                        json.field("value", number)
                    }
                }
                if part == 24 { json.close("]") }
            }
        }
        var line: [UInt8] = []
        try buffer.finish { piece in
            #expect(piece.count <= LineBuffer.mostInMemory)
            line += piece
        }
        try #require(line.count > max(ResumeScan.longest, 3 * LineBuffer.mostInMemory))
        for (ending, count) in try [("\n" + self.line("b"), 2), ("}\n", 0), ("", 1)] {
            let disk = SimulatedDisk(seed: 1)
            let file = try disk.location("r.jsonl").open()
            try file.writeAll(line.dropLast() + Array(ending.utf8))
            guard ending != "}\n" else {
                #expect(throws: UsageError.self) { try ResumeScan(file) }
                continue
            }
            #expect(try ResumeScan(file).done.count == count)
        }
    }
}
