import Foundation
import Pledge
import PledgeCoding
import PledgeFiles

/// A file that stores the results of a job. The results survive if the job is killed, and the next run continues from
/// there.
///
/// ```swift
/// let file = try ResultsFile<Report>("reports.jsonl")
/// let batch = Batch(accounts) { … }
/// let tally = try await batch.run(storingIn: file, by: \.name).value
/// ```
///
/// Each result is one line, `{"key":…,"value":…}`. The promise of `store` is fulfilled when the line is on the disk.
/// Results that arrive during a sync to the disk are written and synced together afterwards.
///
/// If the job was killed while it wrote a line, the incomplete line is removed when you open the file again. So each
/// key has one complete result or none.
///
/// The errors of failed items are not stored, and the next run tries these items again. If the service failed for an
/// item, the file gets a line without a value, `{"key":…,"outcome":"failed"}`, so that the next run works on that item
/// last. There is at most one such line for each key, and ``forEach(_:)`` skips these lines.
///
/// Only one object in one process can have the file open for writing at a time. ``close()`` lets another object open
/// the file. Any process can read the file meanwhile with ``forEach(in:_:)``. Only the owner can access a new file.
public final class ResultsFile<Value: Codable & Sendable>: Sendable {
    /// The path of the file.
    public let path: String
    private let index: Locked<Index>
    private let file: Locked<File>
    private let writer: LineWriter<[UInt8]>

    private struct Index {
        var keys: Set<HashKey> = []
        /// The keys of the items for which the service failed, according to a line in the file. Some of these keys may
        /// have a result by now.
        var failed: Set<HashKey> = []
        var isClosed = false
    }

    /// The open file. `lines` becomes nil when the file is closed, so that another object can open the file.
    private struct File: @unchecked Sendable {
        // Unchecked: `LinesFile` isn't sendable. The property `file` guards it with a lock, so only one thread at a
        // time uses it.
        var lines: LinesFile?
    }

    /// Opens a file to add results to it, or creates the file. The call blocks until the whole file has been read.
    ///
    /// - Throws: ``ResultsFileError`` if the file cannot be opened, if it is already open for writing, or if it
    ///   contains anything but results of this type. The file is then unchanged.
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
                // Only the first value is decoded. If the values in the file have another type, one value is enough to
                // detect that.
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
        let file = Locked(File(lines: lines))
        self.file = file
        index = Locked(Index(keys: keys, failed: failed))
        writer = LineWriter { texts in
            try ResultsFileError.mapping {
                try file.withLock { file in
                    guard let lines = file.lines else { throw ResultsFileError(closed: path) }
                    try lines.append { write in try texts.forEach(write) }
                }
            }
        }
    }

    // No line is waiting to be written, because each of these lines retains this object.
    deinit { file.withLock { $0.lines = nil } }

    /// The number of results, including those that are being stored.
    public var count: Int { index.withLock(\.keys.count) }

    /// Returns whether the key has a result. A result that is still being stored counts, too.
    public func contains(_ key: String) -> Bool { index.withLock { $0.keys.contains(HashKey(key)) } }

    /// Returns whether the service failed for the item with this key when the item was last tried.
    func hasFailed(_ key: String) -> Bool {
        let hash = HashKey(key)
        return index.withLock { $0.failed.contains(hash) && !$0.keys.contains(hash) }
    }

    // MARK: Storing

    /// Stores the value of a key. The promise is fulfilled when the value is on the disk. Canceling the promise does
    /// not stop the value from being stored.
    ///
    /// - Rejects: With ``ResultsFileError`` if the key already has a result, the value cannot be encoded, the file was
    ///   closed, or the file cannot be written. After the file could not be written once, all later values are
    ///   rejected, too.
    public func store(_ value: Value, for key: String) -> Promise<Void> {
        let hash = HashKey(key)
        do {
            let line = try Self.encode(value, for: key)
            try index.withLock { index in
                guard !index.isClosed else { throw ResultsFileError(closed: path) }
                guard index.keys.insert(hash).inserted else {
                    throw ResultsFileError("\(path) already has a result for “\(key)”: give each item a different key.")
                }
            }
            return write(line) { $0.keys.remove(hash) }
        } catch {
            return Promise(error: error)
        }
    }

    /// Stores the result of an item of a batch, if it is a value. If the result is an error, nothing is stored, and the
    /// promise is already fulfilled.
    public func store(_ result: Result<Value, any Error>, for key: String) -> Promise<Void> {
        switch result {
        case .success(let value): store(value, for: key)
        case .failure: .value(())
        }
    }

    /// Records in the file that the service failed for the item with this key. If the file already says so, it is not
    /// changed.
    func noteFailure(of key: String) -> Promise<Void> {
        let hash = HashKey(key)
        do {
            let line = try JSONEncoder.repeatable().encode(Failure(key: key))
            let isNew = try index.withLock { index in
                guard !index.isClosed else { throw ResultsFileError(closed: path) }
                return index.failed.insert(hash).inserted
            }
            return isNew ? write(line + [0x0A]) { $0.failed.remove(hash) } : .value(())
        } catch {
            return Promise(error: error)
        }
    }

    /// Writes a line. If that fails, calls `undo`, because the index already contains the line's key.
    private func write(
        _ line: [UInt8], undo: @escaping @Sendable (inout Index) -> Void
    ) -> Promise<Void> {
        let (promise, written) = Promise<Void>.pending()
        writer.write(line).pipe { outcome in
            if case .failure = outcome { self.index.withLock { undo(&$0) } }
            written.resolve(outcome)
        }
        return promise
    }

    private static func encode(_ value: Value, for key: String) throws -> [UInt8] {
        let line: Data
        do {
            line = try JSONEncoder.repeatable().encode(Line(key: key, value: value))
        } catch {
            throw ResultsFileError("The value for “\(key)” cannot be encoded: \(error)", isOfValue: true)
        }
        // Refuses the value if its line could not be read back.
        guard (try? JSONTape(line)).flatMap(Self.key) != nil else {
            throw ResultsFileError(
                "The value for “\(key)” cannot be stored: its JSON is too long, too deep, or invalid.", isOfValue: true)
        }
        return line + [0x0A]
    }

    /// Closes the file after all pending values are stored. After that, another object can open the file.
    ///
    /// The promise is fulfilled when the file is closed. Values that you store after calling this method are rejected.
    /// A program that is about to exit doesn't need to close the file.
    @discardableResult
    public func close() -> Promise<Void> {
        index.withLock { $0.isClosed = true }
        return writer.finish { [file] in file.withLock { $0.lines = nil } }
    }

    // MARK: Reading

    /// Calls a closure, on the calling thread, with each key and its value, in the order in which they were stored.
    ///
    /// - Throws: ``ResultsFileError`` if the file is closed, or if a line is not a result of this type. Also rethrows
    ///   errors of the closure.
    public func forEach(_ body: (_ key: String, _ value: Value) throws -> Void) throws {
        let (stored, length) = file.withLock { ($0, $0.lines?.length) }
        guard let lines = stored.lines, let length else { throw ResultsFileError(closed: path) }
        try Self.forEach(of: Self.lines(lines.file), path, while: { $0.range.upperBound <= length }, body: body)
    }

    /// Calls a closure with each key and its value in a file. Another process may be writing the file at the same time,
    /// because this method neither locks nor changes it. The last line is skipped if it is still incomplete.
    ///
    /// - Throws: ``ResultsFileError`` if the file cannot be read, or if a line is not a result of this type. Also
    ///   rethrows errors of the closure.
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
            if let result = try result(line, path) { try body(result.key, result.value) }
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

    /// Returns the result in a line, or nil if the line says that the service failed for an item.
    private static func result(_ line: LineReader.Line, _ path: String) throws -> Line? {
        do {
            return try TapeDecoder.decode(Line.self, from: JSONTape(Data(line.bytes)))
        } catch {
            if (try? JSONTape(Data(line.bytes))).flatMap(failedKey) != nil { return nil }
            throw ResultsFileError("Line \(line.number) of \(path) is not a result of this type: \(error)")
        }
    }

    private static func key(_ tape: JSONTape) -> String? {
        try? tape.withValue { (line) throws(TapeFailure) in
            var line = try line.fields()
            let key = try line.required("key").text()
            return line.value("value") == nil ? nil : key
        }
    }

    /// Returns the key of a line that says that the service failed for an item; nil for any other line.
    private static func failedKey(_ tape: JSONTape) -> String? {
        try? tape.withValue { (line) throws(TapeFailure) in
            var line = try line.fields()
            let (key, outcome) = (try line.required("key").text(), line.text("outcome"))
            return line.value("value") == nil && outcome == "failed" ? key : nil
        }
    }
}

/// The reason why results could not be stored in a ``ResultsFile``, or could not be read from it.
public struct ResultsFileError: LocalizedError, CustomStringConvertible {
    /// A text that says what is wrong and what to do about it.
    public let description: String
    public var errorDescription: String? { description }
    /// Whether the error concerns only a single value. If so, other values can still be stored.
    let isOfValue: Bool

    init(_ description: String, isOfValue: Bool = false) {
        self.description = description
        self.isOfValue = isOfValue
    }

    fileprivate init(closed path: String) { self.init("\(path) was closed.") }

    fileprivate static func mapping<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as FileError {
            throw ResultsFileError(error.description)
        }
    }
}
