import Foundation
import Pledge
import PledgeCoding
import PledgeFiles

/// The results of a job in a file, which survive if the job is killed, and with which it continues.
///
/// ```swift
/// let results = try ResultsFile<Report>("reports.jsonl")
/// let batch = Batch(results.unfinished(accounts, by: \.name)) { … }
/// let running = batch.run { account, result in results.store(result, for: account.name) }
/// ```
///
/// Each result is a line, `{"key":…,"value":…}`, that was synced to the disk before its promise is fulfilled; results that
/// arrive meanwhile are synced together. A line that was cut off when the job ended is removed when it continues, so that
/// each key has one result, or none. Failures are not stored: the next run tries these items again.
///
/// One process at a time uses the file, through one object at a time: see ``close()``. A new file is accessible only to its
/// owner.
public final class ResultsFile<Value: Codable & Sendable>: Sendable {
    /// The path of the file.
    public let path: String
    private let index: Locked<Index>
    private let file: Locked<File>
    private let writer: LineWriter<[UInt8]>

    private struct Index {
        var keys: Set<HashKey> = []
        /// The number of values that are being stored.
        var pending = 0
        var isClosed = false
        var isUnused: Bool { isClosed && pending == 0 }
    }

    /// The file, which is used by one thread at a time; nil when it is unused, so that another object can open it at once.
    private struct File: @unchecked Sendable {
        // Unchecked: guarded by the lock around it.
        var lines: LinesFile?
    }

    /// Opens the file to continue it, or creates it.
    ///
    /// Blocks until it has been read.
    ///
    /// - Throws: ``ResultsFileError`` if it cannot be opened, another process is using it, or it contains something
    ///   else than results; then it stays as it is.
    public init(_ path: String) throws {
        self.path = path
        var keys: Set<HashKey> = []
        let lines = try ResultsFileError.mapping {
            let lines = try LinesFile(at: OutputPath(path), continuing: "run the job again")
            let scan = try LineScan(FileLines(lines.file, limit: .max), opening: #"{"key":"#) { line in
                guard let key = Self.key(line.head) else { return "is not a result" }
                return keys.insert(HashKey(key.utf8)).inserted ? nil : "is a second result for “\(key)”"
            }
            if let refusal = scan.refusal(of: path) {
                throw ResultsFileError(
                    keys.isEmpty ? "\(path) does not contain results of a job: choose another file." : refusal)
            }
            try lines.keep(scan.wholeLength)
            return lines
        }
        let (file, index) = (Locked(File(lines: lines)), Locked(Index(keys: keys)))
        (self.file, self.index) = (file, index)
        writer = LineWriter { texts in
            defer {
                let isUnused = index.withLock { index in
                    index.pending -= texts.count
                    return index.isUnused
                }
                if isUnused { file.withLock { $0.lines = nil } }
            }
            try ResultsFileError.mapping {
                try file.withLock { file in try file.lines?.append { write in try texts.forEach(write) } }
            }
        }
    }

    deinit { close() }

    /// Closes the file, once everything is stored, so that it can be opened again; later values are rejected.
    ///
    /// Not needed at the end of a program.
    public func close() {
        let isUnused = index.withLock { index in
            index.isClosed = true
            return index.isUnused
        }
        if isUnused { file.withLock { $0.lines = nil } }
    }

    private static func key(_ line: [UInt8]) -> String? {
        guard let tape = try? JSONTape(Data(line)) else { return nil }
        return try? tape.withRoot { (line) throws(TapeFailure) in
            var line = try line.fields()
            let key = try line.required("key").text()
            return line.value("value") == nil ? nil : key
        }
    }

    /// The number of results, including those that are being stored.
    public var count: Int { index.withLock(\.keys.count) }

    /// Whether the key has a result, or one that is being stored.
    public func contains(_ key: String) -> Bool { index.withLock { $0.keys.contains(HashKey(key.utf8)) } }

    /// Returns the items that have no result: those that a job has to work on.
    ///
    /// - Parameters:
    ///   - items: The items of the whole job.
    ///   - key: Returns the key of an item, which identifies it in every run.
    public func unfinished<Items: Sequence & Sendable>(
        _ items: Items, by key: @escaping @Sendable (Items.Element) -> String
    ) -> Unfinished<Items> {
        Unfinished(items: items) { !self.contains(key($0)) }
    }

    /// Returns the items that have no result, of an asynchronous sequence.
    ///
    /// - Parameters:
    ///   - items: The items of the whole job.
    ///   - key: Returns the key of an item, which identifies it in every run.
    public func unfinished<Items: AsyncSequence & Sendable>(
        _ items: Items, by key: @escaping @Sendable (Items.Element) -> String
    ) -> AsyncFilterSequence<Items> {
        items.filter { !self.contains(key($0)) }
    }

    /// The items of a sequence that have no result.
    public struct Unfinished<Items: Sequence & Sendable>: Sequence, Sendable {
        let items: Items
        let isUnfinished: @Sendable (Items.Element) -> Bool

        /// Returns an iterator, which looks for results as it goes.
        public func makeIterator() -> some IteratorProtocol<Items.Element> {
            items.lazy.filter(isUnfinished).makeIterator()
        }
    }

    /// Stores the value of a key, durably.
    ///
    /// - Returns: A promise that is fulfilled when the value is on the disk.
    /// - Rejects: With ``ResultsFileError`` if the key has a result, the file was closed, or it cannot be written any more,
    ///   with which later values are rejected, too; with an `EncodingError` if the value cannot be encoded.
    public func store(_ value: Value, for key: String) -> Promise<Void> {
        firstly {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let line = try encoder.encode(Line(key: key, value: value))
            let isNew = try index.withLock { index in
                guard !index.isClosed else { throw ResultsFileError("\(path) was closed.") }
                let isNew = index.keys.insert(HashKey(key.utf8)).inserted
                if isNew { index.pending += 1 }
                return isNew
            }
            guard isNew else {
                throw ResultsFileError("\(path) has a result for “\(key)”: give each item a key of its own.")
            }
            return writer.write(line + [0x0A])
        }
    }

    /// Stores what an item of a batch has led to, if it has not failed.
    ///
    /// - Returns: A promise that is fulfilled when the value is on the disk, or at once for a failure.
    /// - Rejects: As for a value that is stored by itself.
    public func store(_ result: Result<Value, any Error>, for key: String) -> Promise<Void> {
        switch result {
        case .success(let value): store(value, for: key)
        case .failure: .value(())
        }
    }

    /// Calls a closure with each key and its value, in the order in which they were stored.
    ///
    /// Reads the file on the calling thread, line by line.
    ///
    /// - Throws: ``ResultsFileError`` if a line cannot be read as a value of this type, or the file is closed; or an error
    ///   of the closure.
    public func forEach(_ body: (_ key: String, _ value: Value) throws -> Void) throws {
        let (stored, length) = file.withLock { ($0, $0.lines?.length ?? 0) }
        guard let stored = stored.lines else { throw ResultsFileError("\(path) was closed.") }
        let lines = FileLines(stored.file, limit: .max)
        while let text = try ResultsFileError.mapping({ try lines.next() }), text.range.upperBound <= length {
            let line: Line
            do {
                line = try JSONDecoder().decode(Line.self, from: Data(text.head))
            } catch {
                throw ResultsFileError("Line \(text.number) of \(path) is not a result of this type: \(error)")
            }
            try body(line.key, line.value)
        }
    }

    private struct Line: Codable {
        var key: String
        var value: Value
    }
}

/// Why results cannot be stored or read.
public struct ResultsFileError: LocalizedError, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let description: String
    public var errorDescription: String? { description }

    init(_ description: String) { self.description = description }

    fileprivate static func mapping<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as FileError {
            throw ResultsFileError(error.description)
        }
    }
}
