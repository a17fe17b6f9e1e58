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
        let line = LineBuffer(AccountID(service: .exist, account: account))
        try line.write { json in
            json.object(failed ? "error" : "profile") { json in
                if failed { json.field("kind", "forbidden") }
                json.field("text", "\"}{\\")
            }
        }
        var bytes: [UInt8] = []
        try line.finish { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("The scan finds the accounts that are done and those that failed, whatever their names")
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

    @Test("If the last line is cut at any byte, everything before it counts, and nothing of it")
    func torn() throws {
        let (first, second) = (try line("a"), try line("b"))
        for kept in 0..<second.utf8.count - 1 {
            let scan = try scan(first + String(decoding: second.utf8.prefix(kept), as: UTF8.self))
            #expect(scan.wholeLength == first.utf8.count && scan.done.count == 1, "kept \(kept)")
        }
    }

    @Test("A last line that lacks nothing but its end counts, and gets it")
    func endless() throws {
        let text = try line("a") + line("b", failed: true)
        let scan = try scan(String(text.dropLast()))
        #expect(scan.done.count == 2 && scan.wholeLength == text.utf8.count)
        #expect(scan.failures.map(\.lines.upperBound) == [text.utf8.count])
        try folder.file("r.jsonl", holding: String(text.dropLast()))
        let results = try LinesFile(results: OutputPath(folder.path("r.jsonl")))
        try results.keep(ResumeScan(results.file).wholeLength)
        #expect(folder.text("r.jsonl") == text)
    }

    @Test("A file of another kind, or with other content inside, is rejected")
    func foreign() throws {
        #expect(throws: UsageError.self) { try scan("my diary\n") }
        #expect(throws: UsageError.self) { try scan("name,value") }
        #expect(throws: UsageError.self) { try scan("\0\0\0\u{1}") }
        #expect(throws: UsageError.self) { try scan(line("a") + "{}\n" + line("b")) }
    }

    @Test("Lines that a person or a program has touched count, as long as they are the same JSON")
    func touched() throws {
        let (first, second) = (try line("a"), try line("b", failed: true))
        let spaced = second.replacingOccurrences(of: "\":", with: "\" : ")
        for text in [first.dropLast() + "\r\n" + second, " " + first.dropLast() + "\t \n" + spaced] {
            let scan = try scan(String(text))
            #expect(scan.done.count == 2 && scan.failures.map(\.kind) == ["forbidden"])
            #expect(scan.wholeLength == text.utf8.count && scan.failures.map(\.lines.upperBound) == [text.utf8.count])
        }
    }

    @Test("Lines that are no results, damaged, or there twice are all told by their number")
    func faults() throws {
        let (first, second) = (try line("a"), try line("b"))
        let text = first + "{\n" + second + "\0\n" + first + "\n" + "{\"service\":\"exist\"}\n" + second + "end"
        let refusal = thrown(UsageError.self) { _ = try scan(text) }
        let words = try #require(refusal.map { "\($0)" })
        for fault in [
            "line 2 is not a result; line 4 is damaged; line 5 is a second line for exist account “a”; line 6 is not",
            "line 7 is not a result; and 2 more lines. Restore",
        ] {
            #expect(words.contains(fault), "\(words)")
        }
        for end in ["x", "{\"service\":\"none\"}\n", first + "}\n", "[]\n"] {
            #expect(throws: UsageError.self) { try scan(second + end) }
        }
    }

    @Test("A line longer than what is read or held at once is a result as well, and its parts have all of its items")
    func long() throws {
        let buffer = LineBuffer(AccountID(service: .exist, account: "a"))
        let text = String(repeating: "\\\"],[{", count: 50)
        try buffer.write { $0.object("profile") { $0.field("username", "u") } }
        try buffer.write { $0.objects("insights", 0..<9) { $0.field("text", "\($1)" + text) } }
        for part in 0..<50 {
            try buffer.write { json in
                if part == 0 { json.open("[", "values") }
                for number in part * 100..<(part + 1) * 100 {
                    json.object { json in
                        json.field("attribute", text)
                        json.field("value", number)
                    }
                }
                if part == 49 { json.close("]") }
            }
        }
        var line: [UInt8] = []
        try buffer.finish { piece in
            #expect(piece.count <= LineBuffer.mostInMemory)
            line += piece
        }
        try #require(line.count > max(2 * ResumeScan.longest, 3 * LineBuffer.mostInMemory))
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
