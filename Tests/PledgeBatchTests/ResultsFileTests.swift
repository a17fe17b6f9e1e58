import Foundation
import Pledge
import PledgeTestSupport
import Testing

@testable import PledgeBatch

@Suite("Results in a file", .serialized)
struct ResultsFileTests {
    private struct Report: Codable, Hashable, Sendable {
        enum State: Codable, Hashable, Sendable { case open, closed(by: String, after: [Double?]) }

        var date: Date
        var page: URL
        var bytes: Data
        var note: String?
        var share: Float = 0.1
        var price = Decimal(sign: .minus, exponent: -20, significand: 12_345_678_901_234_567)
        var limits = [UInt64.min, .max]
        var counts = [3: -0.0, -1: .leastNonzeroMagnitude, 7: .greatestFiniteMagnitude]
        var states: [State] = [.open, .closed(by: "é", after: [nil, 0.1 + 0.2])]
        var parts: [String: [UUID?]] = ["a_b": [UUID(), nil], "": []]
    }

    private let folder: TemporaryFolder
    private var path: String { folder.path("r.jsonl") }

    init() throws { folder = try TemporaryFolder() }

    private func reopened<Value: Codable & Sendable>(_ type: Value.Type = Int.self) throws -> ResultsFile<Value> {
        try ResultsFile(path)
    }

    private func values<Value: Codable & Sendable>(_ file: ResultsFile<Value>) throws -> [String: Value] {
        var values: [String: Value] = [:]
        try file.forEach { key, value in #expect(values.updateValue(value, forKey: key) == nil) }
        return values
    }

    /// The limit of items that send no requests.
    private static let limit: @Sendable (Int) -> BatchLimit = { _ in BatchLimit(service: "none") }

    private func refusal<Value: Codable & Sendable>(_ text: String, as type: Value.Type = Int.self) throws -> String {
        try folder.file("r.jsonl", holding: text)
        let error = thrown((any Error).self) { try reopened(type) }
        #expect(folder.text("r.jsonl") == text)
        return error?.localizedDescription ?? ""
    }

    @Test("Values of any type, and keys with any characters, are read back as they were stored")
    func values() async throws {
        let report = Report(
            date: Date(timeIntervalSinceReferenceDate: 800_000_000.125),
            page: try #require(URL(string: "https://a/b?c=d")),
            bytes: Data([0, 0x0A, 0xFF]), note: "two\nlines, “quotes”, \u{2028}\u{0}")
        let keys = ["a", "", "with \"quotes\" and \\", "Åsa 🎈\n\u{0}", String(repeating: "long", count: 100_000)]
        do {
            let file = try reopened(Report.self)
            for key in keys { try await file.store(report, for: key).value }
            try await file.close().value
        }
        let file = try reopened(Report.self)
        #expect(file.count == keys.count && keys.allSatisfy(file.contains) && !file.contains("b"))
        #expect(try values(file) == Dictionary(keys.map { ($0, report) }) { $1 })
        #expect(folder.mode("r.jsonl") == 0o600)
    }

    @Test("After a file is cut off at any byte, lines with complete JSON still count, and new lines can be added")
    func truncated() async throws {
        do {
            let file = try reopened()
            for number in 1...3 { try await file.store(number, for: "item \(number)").value }
            try await file.close().value
        }
        let whole = folder.text("r.jsonl")
        for length in 0...whole.utf8.count {
            let kept = String(decoding: whole.utf8.prefix(length), as: UTF8.self)
            try folder.file("r.jsonl", holding: kept)
            let file = try reopened()
            #expect(file.count == kept.count { $0 == "}" })
            for number in 1...3 where !file.contains("item \(number)") {
                try await file.store(number, for: "item \(number)").value
            }
            try await file.close().value
            #expect(folder.text("r.jsonl") == whole)
        }
    }

    @Test("A file with other content or values of another type is refused with a reason, and isn't changed")
    func foreign() throws {
        let line = "{\"key\":\"a\",\"value\":1}\n"
        let reasons = [
            "dear diary\n": "r.jsonl does not contain results of a job: choose another file.",
            "{\"key\":\"a\"}\n": "does not contain results of a job",
            "{\"key\":\"sk-live-123\",\"region\":\"eu\"}": "does not contain results",
            line + "x\n" + line: "line 2 is not a result; line 3 is a second result for “a”.",
        ]
        for (text, reason) in reasons { #expect(try refusal(text).contains(reason), "\(text)") }
        #expect(try refusal(line, as: String.self).contains("Line 1 of \(path) is not a result of this type"))
    }

    @Test("Storing a second result for a key fails, even while the first is still being stored; failures aren't stored")
    func second() async throws {
        let file = try reopened(Double.self)
        let outcomes = await when(resolved: (0..<8).map { file.store(Double($0), for: "a") }).value
        #expect(outcomes.filter { (try? $0.get()) != nil }.count == 1)
        try await file.store(.failure(CancellationError()), for: "b").value
        #expect(!file.contains("b") && file.count == 1)
        #expect(folder.lines("r.jsonl").count == 1)
    }

    @Test("A results file can be opened again only after the first object is closed or released; results are kept")
    func locked() async throws {
        let first = try reopened()
        let error = thrown(ResultsFileError.self) { try reopened() }
        #expect(
            error?.description.hasPrefix("\(path) is being written by another process, or was opened before") == true)
        let stored = first.store(1, for: "a")
        let closed = first.close()
        await #expect(throws: ResultsFileError.self) { try await first.store(2, for: "b").value }
        try await stored.value
        try await closed.value
        #expect(throws: ResultsFileError.self) { try first.forEach { _, _ in } }
        var second: ResultsFile<Int>? = try reopened()
        #expect(try second.map(values) == ["a": 1])
        second = nil
        #expect(throws: Never.self) { try reopened() }
    }

    @Test("A value that couldn't be read back is not stored, and the error names its key; later values are stored")
    func unstorable() async throws {
        let numbers = try reopened(Decimal.self)
        let error = await thrown(ResultsFileError.self) { try await numbers.store(.nan, for: "none").value }
        #expect(error?.isOfValue == true && error?.description.contains("“none”") == true)
        try await numbers.store(1, for: "one").value
        try await numbers.close().value
        #expect(try reopened(Decimal.self).count == 1)
    }

    @Test("Lines that arrive during a write are written together in the next write")
    func together() async throws {
        let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let written = Locked<[[Int]]>([])
        let writer = LineWriter<Int> { lines in
            #expect(!lines.isEmpty)
            written.withLock { $0.append(lines) }
            begun.signal()
            mayEnd.wait()
        }
        let first = writer.write(1)
        begun.wait()
        let others = (2...4).map(writer.write)
        for _ in 0..<3 { mayEnd.signal() }
        try await when(fulfilled: [first] + others).asVoid().value
        try await writer.write(5).value
        #expect(written.withLock { $0 } == [[1], [2, 3, 4], [5]])
    }

    @Test("A handler that runs after a value was stored may block until another value is stored")
    func waiting() async throws {
        let file = try reopened()
        try await file.store(1, for: "a").done(on: nil) { try file.store(2, for: "b").wait() }.value
        #expect(file.count == 2)
    }

    @Test(
        "After a failed write, storing always fails with the reason, unwritten keys don't count, and closing succeeds")
    func failed() async throws {
        let file = try reopened()
        try await file.store(1, for: "a").value
        rename(path, folder.path("elsewhere"))
        for key in ["b", "c", "b"] {
            await #expect { try await file.store(2, for: key).value } throws: { "\($0)".contains("was renamed") }
        }
        #expect(file.count == 1 && !file.contains("b"))
        rename(folder.path("elsewhere"), path)
        // The file doesn't try to write again after a failure, although that could succeed now.
        await #expect { try await file.store(2, for: "d").value } throws: { "\($0)".contains("was renamed") }
        try await file.close().value
        #expect(try values(reopened()) == ["a": 1])
    }

    @Test("Another process can read the stored results while the file is being written")
    func readers() async throws {
        let file = try reopened()
        try await file.store(1, for: "a").value
        try folder.file("copy", holding: folder.text("r.jsonl") + "{\"key\":\"b\",\"val")
        for name in ["r.jsonl", "copy"] {
            var found: [String: Int] = [:]
            try ResultsFile<Int>.forEach(in: folder.path(name)) { found[$0] = $1 }
            #expect(found == ["a": 1])
        }
        let error = thrown(ResultsFileError.self) { try ResultsFile<Int>.forEach(in: folder.path("none")) { _, _ in } }
        #expect(error?.description.contains("none cannot be read: No such file") == true)
    }

    @Test(
        "A batch runs each item without a result once and stores its value; a value that can't be stored is a failure")
    func batches() async throws {
        let file = try reopened(Double.self)
        @Sendable func key(_ number: Int) -> String { "\(number)" }
        let numbers = [1, 2, 3, 2, 4, 5, 6, 7, 8, 9, 9, 1]
        let stream = AsyncStream { continuation in
            numbers.forEach { continuation.yield($0) }
            continuation.finish()
        }
        @Sendable func work(_ number: Int, _: BatchSlot) throws -> Promise<Double> {
            if number == 9 { throw CocoaError(.featureUnsupported) }
            return .value(number == 5 ? .nan : Double(number))
        }
        for (batch, done) in [
            (Batch(numbers, limit: Self.limit, work: work), 7), (Batch(stream, limit: Self.limit, work: work), 0),
        ] {
            let failed = Locked<[String: String]>([:])
            let tally = try await batch.run(storingIn: file, by: key) { key, error in
                failed.withLock { $0[key] = "\(type(of: error))" }
            }.value
            #expect(failed.withLock { $0 } == ["5": "ResultsFileError", "9": "CocoaError"])
            #expect(tally.done == done && tally.failed == 2)
            #expect(tally.errors == ["ResultsFileError": 1, "CocoaError": 1])
        }
        #expect(try values(file) == Dictionary([1, 2, 3, 4, 6, 7, 8].map { (key($0), Double($0)) }) { $1 })
        // If the file can't be written, the batch ends with an error.
        unlink(path)
        let last = Batch([10], limit: Self.limit, work: work)
        await #expect(throws: ResultsFileError.self) { try await last.run(storingIn: file, by: key).value }
    }

    @Test("If the service failed for a key, the file has one separate line for that key, which isn't a result")
    func failures() async throws {
        do {
            let file = try reopened()
            for key in ["a", "b", "a"] { try await file.noteFailure(of: key).value }
            try await file.store(1, for: "b").value
            #expect(file.hasFailed("a") && !file.hasFailed("b") && !file.hasFailed("c"))
            try await file.close().value
            await #expect(throws: ResultsFileError.self) { try await file.noteFailure(of: "c").value }
        }
        let text = folder.text("r.jsonl")
        #expect(
            text == #"{"key":"a","outcome":"failed"}"# + "\n" + #"{"key":"b","outcome":"failed"}"# + "\n"
                + #"{"key":"b","value":1}"# + "\n")
        try folder.file("r.jsonl", holding: text.replacingOccurrences(of: "}\n", with: "} \r\n"))
        let file = try reopened()
        #expect(file.count == 1 && file.hasFailed("a") && !file.hasFailed("b"))
        #expect(try values(file) == ["b": 1])
        try await file.store(2, for: "a").value
        #expect(try values(file) == ["a": 2, "b": 1] && !file.hasFailed("a"))
    }

    @Test("A value that looks like the line of a failure counts as a value")
    func notAFailure() async throws {
        let file = try reopened([String: String].self)
        let value = ["key": "a", "outcome": "failed"]
        try await file.store(value, for: "a").value
        try await file.close().value
        let again = try reopened([String: String].self)
        #expect(again.contains("a") && !again.hasFailed("a"))
        #expect(try values(again) == ["a": value])
    }
}
