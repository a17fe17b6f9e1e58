import Foundation
import Pledge
import PledgeCoding
import PledgeFiles

/// The results of a job, in a file. They survive if the job is killed, and the next run continues with them.
///
/// ```swift
/// let file = try ResultsFile<Report>("reports.jsonl")
/// let batch = Batch(accounts) { … }
/// let tally = try await batch.run(storingIn: file, by: \.name).value
/// ```
///
/// Each result is a line, `{"key":…,"value":…}`. The promise of a result is fulfilled once its line was synced to the
/// disk. Results that arrive meanwhile are synced together. If the job was killed in the middle of a line, that line is
/// removed when the job continues, so that each key has one result or none.
///
/// Failures are not stored: the next run tries these items again. If the service failed for an item, the file gets a
/// line without a value, `{"key":…,"outcome":"failed"}`, once for each key, so that the next run does this item last.
/// ``forEach(_:)`` skips such lines.
///
/// Only one process at a time may write the file, and only through one object: see ``close()``. Meanwhile, others may
/// read the file: see ``forEach(in:_:)``. A new file is accessible only to its owner.
public final class ResultsFile<Value: Codable & Sendable>: Sendable {
    /// The path of the file.
    public let path: String
    private let index: Locked<Index>
    private let file: Locked<File>
    private let writer: LineWriter<[UInt8]>
    private let released: (promise: Promise<Void>, resolver: Resolver<Void>)

    private struct Index {
        var keys: Set<HashKey> = []
        /// The keys for which the file has a line that says that the service failed. Some of them have a result by now.
        var failed: Set<HashKey> = []
        /// The number of values that are being stored.
        var pending = 0
        var isClosed = false
        var isUnused: Bool { isClosed && pending == 0 }
    }

    /// The file. Only one thread at a time uses it. It is nil once no one will use it again, so that another object can
    /// open it immediately.
    private struct File: @unchecked Sendable {
        // Unchecked: the lock around it guards the file.
        var lines: LinesFile?
    }

    /// Opens the file to continue it, or creates it. Blocks until the whole file has been read.
    ///
    /// - Throws: ``ResultsFileError`` if the file cannot be opened, another process is using it, or it contains
    ///   anything but results with such values. If so, the file is unchanged.
    public init(_ path: String) throws {
        self.path = path
        var (keys, failed): (Set<HashKey>, Set<HashKey>) = ([], [])
        let lines = try ResultsFileError.mapping {
            let lines = try LinesFile(at: OutputPath(path), continuing: "run the job again")
            let scan = try LineScan(Self.lines(lines.file), opening: #"{"key":"#) { line in
                guard let tape = try? JSONTape(Data(line.bytes)) else { return .unreadable }
                if let key = Self.failedKey(tape) {
                    failed.insert(HashKey(key))
                    return .result
                }
                guard let key = Self.key(tape) else { return .foreign("is not a result") }
                // A single value is enough to detect the new type.
                if keys.isEmpty { _ = try Self.result(line, path) }
                return keys.insert(HashKey(key)).inserted ? .result : .foreign("is a second result for “\(key)”")
            }
            if let refusal = scan.refusal(of: path) {
                throw ResultsFileError(
                    keys.isEmpty && failed.isEmpty
                        ? "\(path) does not contain results of a job: choose another file." : refusal)
            }
            try lines.truncate(toLines: scan.wholeLength)
            return lines
        }
        // The promise is created only once the file is open. Otherwise, nothing would ever settle it if opening fails,
        // and that would be reported.
        released = Promise<Void>.pending()
        let file = Locked(File(lines: lines))
        self.file = file
        index = Locked(Index(keys: keys, failed: failed))
        writer = LineWriter { texts in
            try ResultsFileError.mapping {
                try file.withLock { file in try file.lines?.append { write in try texts.forEach(write) } }
            }
        }
    }

    deinit { close() }

    /// The number of results, including those that are being stored.
    public var count: Int { index.withLock(\.keys.count) }

    /// Whether the key has a result. A result that is being stored counts.
    public func contains(_ key: String) -> Bool { index.withLock { $0.keys.contains(HashKey(key)) } }

    /// Whether the service failed for the item with this key when it was last tried.
    func hasFailed(_ key: String) -> Bool {
        let hash = HashKey(key)
        return index.withLock { $0.failed.contains(hash) && !$0.keys.contains(hash) }
    }

    // MARK: Storing

    /// Stores the value of a key. The promise is fulfilled when the value is on the disk. Canceling the promise does
    /// not prevent that.
    ///
    /// - Rejects: With ``ResultsFileError`` if the key has a result, the value cannot be encoded, the file was closed,
    ///   or the file cannot be written. In the last case, later values are rejected, too.
    public func store(_ value: Value, for key: String) -> Promise<Void> {
        let (promise, stored) = Promise<Void>.pending()
        let hash = HashKey(key)
        do {
            let line = try Self.encode(value, for: key)
            try index.withLock { index in
                guard !index.isClosed else { throw ResultsFileError("\(path) was closed.") }
                guard index.keys.insert(hash).inserted else {
                    throw ResultsFileError("\(path) already has a result for “\(key)”: give each item a different key.")
                }
                index.pending += 1
            }
            writer.write(line).pipe { outcome in
                self.end(hash, outcome)
                stored.resolve(outcome)
            }
        } catch {
            stored.reject(error)
        }
        return promise
    }

    /// Stores the value that an item of a batch has led to. A failure is not stored; its promise is fulfilled at once.
    public func store(_ result: Result<Value, any Error>, for key: String) -> Promise<Void> {
        switch result {
        case .success(let value): store(value, for: key)
        case .failure: .value(())
        }
    }

    /// Records in the file that the service failed for the item with this key. If the file already says so, it is not
    /// changed.
    func noteFailure(of key: String) -> Promise<Void> {
        do {
            let line = try JSONEncoder.repeatable().encode(Failure(key: key))
            let isKnown = try index.withLock { index in
                guard !index.isClosed else { throw ResultsFileError("\(path) was closed.") }
                let isKnown = !index.failed.insert(HashKey(key)).inserted
                if !isKnown { index.pending += 1 }
                return isKnown
            }
            return isKnown ? .value(()) : writer.write(line + [0x0A]).tap(on: nil) { _ in self.endWrite() }
        } catch {
            return Promise(error: error)
        }
    }

    private static func encode(_ value: Value, for key: String) throws -> [UInt8] {
        let line: Data
        do {
            line = try JSONEncoder.repeatable().encode(Line(key: key, value: value))
        } catch {
            throw ResultsFileError("The value for “\(key)” cannot be encoded: \(error)", isOfValue: true)
        }
        // Refuses a value whose line could not be read back.
        guard (try? JSONTape(line)).flatMap(Self.key) != nil else {
            throw ResultsFileError(
                "The value for “\(key)” cannot be stored: its JSON is too long, too deep, or invalid.", isOfValue: true)
        }
        return line + [0x0A]
    }

    private func end(_ hash: HashKey, _ outcome: Result<Void, any Error>) {
        if case .failure = outcome { index.withLock { _ = $0.keys.remove(hash) } }
        endWrite()
    }

    private func endWrite() {
        let isUnused = index.withLock { index in
            index.pending -= 1
            return index.isUnused
        }
        if isUnused { release() }
    }

    /// Closes the file once everything is stored, so that it can be opened again. Later values are rejected. The
    /// promise is fulfilled when the file is closed. A program that ends doesn't need to call this.
    @discardableResult
    public func close() -> Promise<Void> {
        let isUnused = index.withLock { index in
            index.isClosed = true
            return index.isUnused
        }
        if isUnused { release() }
        return released.promise
    }

    private func release() {
        file.withLock { $0.lines = nil }
        released.resolver.fulfill(())
    }

    // MARK: Reading

    /// Calls a closure, on the calling thread, with each key and its value, in the order in which they were stored.
    ///
    /// - Throws: ``ResultsFileError`` if a line cannot be read as a value of this type, or if the file is closed; or an
    ///   error of the closure.
    public func forEach(_ body: (_ key: String, _ value: Value) throws -> Void) throws {
        let (stored, length) = file.withLock { ($0, $0.lines?.length) }
        guard let lines = stored.lines, let length else { throw ResultsFileError("\(path) was closed.") }
        try Self.forEach(of: Self.lines(lines.file), path, while: { $0.range.upperBound <= length }, body: body)
    }

    /// Calls a closure with each key and its value in a file that another process may be writing. The file is neither
    /// locked nor changed. If its last line is not complete yet, that line is left out.
    ///
    /// - Throws: ``ResultsFileError`` if the file or a line cannot be read; or an error of the closure.
    public static func forEach(in path: String, _ body: (_ key: String, _ value: Value) throws -> Void) throws {
        guard let file = SystemFile(reading: path), file.isRegular else {
            throw ResultsFileError("\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        try forEach(of: lines(file), path, while: { !$0.isDamaged }, body: body)
    }

    private static func forEach(
        of lines: LineReader, _ path: String, while isStored: (LineReader.Line) -> Bool,
        body: (_ key: String, _ value: Value) throws -> Void
    ) throws {
        while let line = try ResultsFileError.mapping({ try lines.next() }), isStored(line) {
            if isFailure(line) { continue }
            let result = try result(line, path)
            try body(result.key, result.value)
        }
    }

    private struct Line: Codable {
        var key: String
        var value: Value
    }

    /// The line of an item for which the service failed.
    private struct Failure: Encodable {
        var key: String
        var outcome = "failed"
    }

    private static func lines(_ file: any RawFile) -> LineReader { LineReader(file, limit: JSONTape.longest) }

    private static func result(_ line: LineReader.Line, _ path: String) throws -> Line {
        do {
            return try JSONDecoder().decode(Line.self, from: Data(line.bytes))
        } catch {
            throw ResultsFileError("Line \(line.number) of \(path) is not a result of this type: \(error)")
        }
    }

    private static func key(_ tape: JSONTape) -> String? {
        try? tape.withRoot { (line) throws(TapeFailure) in
            var line = try line.fields()
            let key = try line.required("key").text()
            return line.value("value") == nil ? nil : key
        }
    }

    /// Returns the key of a line that says that the service failed for an item; nil for any other line.
    private static func failedKey(_ tape: JSONTape) -> String? {
        try? tape.withRoot { (line) throws(TapeFailure) in
            var line = try line.fields()
            let (key, outcome) = (try line.required("key").text(), try line.text("outcome"))
            return line.value("value") == nil && outcome == "failed" ? key : nil
        }
    }

    private static func isFailure(_ line: LineReader.Line) -> Bool {
        // Checks the end of the line first, because parsing every line twice would take twice the time.
        let ending = line.bytes.reversed().drop { " \t\r".utf8.contains($0) }
        guard ending.starts(with: #""failed"}"#.utf8.reversed()) else { return false }
        return (try? JSONTape(Data(line.bytes))).flatMap(failedKey) != nil
    }
}

/// The reason why results cannot be stored or read.
public struct ResultsFileError: LocalizedError, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let description: String
    public var errorDescription: String? { description }
    /// Whether the error concerns a single value, so that other values can be stored.
    let isOfValue: Bool

    init(_ description: String, isOfValue: Bool = false) {
        self.description = description
        self.isOfValue = isOfValue
    }

    fileprivate static func mapping<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as FileError {
            throw ResultsFileError(error.description)
        }
    }
}
