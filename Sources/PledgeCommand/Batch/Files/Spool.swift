import Foundation
import Pledge

/// Bytes that are not written yet: in memory while they are few, else in a temporary file without a name.
final class Spool {
    private var pieces: [[UInt8]] = []
    private var inMemory = 0
    private var blocks: [SpoolFile.Block] = []
    private(set) var count = 0
    private let file: SpoolFile

    /// Bytes held in memory for one account; with a hundred accounts under way that is some 20 megabytes at most.
    static let mostInMemory = 192 << 10

    init(in file: SpoolFile = .shared) { self.file = file }

    deinit { file.free(blocks) }

    func append(_ bytes: [UInt8]) throws {
        pieces.append(bytes)
        inMemory += bytes.count
        count += bytes.count
        if inMemory > Self.mostInMemory { try spill() }
    }

    /// Keeps nothing in memory, for an account that will wait. What there is no room for stays, and nothing is in both.
    func spill() throws {
        while let piece = pieces.first {
            blocks += try file.write(piece)
            pieces.removeFirst()
            inMemory -= piece.count
        }
    }

    /// All of it, in order, a piece at a time.
    func forEachPiece(_ body: ([UInt8]) throws -> Void) throws {
        for block in blocks { try body(file.read(block)) }
        try pieces.forEach(body)
    }
}

/// One temporary file for the spools of the whole process, in blocks that are used again: ten thousand accounts that wait
/// may not take ten thousand descriptors.
final class SpoolFile: Sendable {
    struct Block {
        fileprivate var number: Int
        fileprivate var count: Int
    }

    private struct State {
        var file: (any RawFile)?
        var free: [Int] = []
        var end = 0
    }

    static let shared = SpoolFile()
    private static let blockSize = 16 << 10
    private let state: Locked<State>

    /// - Parameter file: a temporary one of the system's, unless given.
    init(_ file: (any RawFile)? = nil) { state = Locked(State(file: file)) }

    fileprivate func write(_ bytes: [UInt8]) throws -> [Block] {
        var blocks: [Block] = []
        do {
            for start in stride(from: 0, to: bytes.count, by: Self.blockSize) {
                let piece = bytes[start..<min(start + Self.blockSize, bytes.count)]
                let (file, number) = try take()
                blocks.append(Block(number: number, count: piece.count))
                try file.writeAll(piece, at: number * Self.blockSize)
            }
        } catch {
            free(blocks)
            throw error
        }
        return blocks
    }

    fileprivate func read(_ block: Block) throws -> [UInt8] {
        let bytes = try state.withLock(\.file)?.read(block.count, at: block.number * Self.blockSize)
        guard let bytes, bytes.count == block.count else { throw StopError(reading: "A temporary file", EIO) }
        return bytes
    }

    fileprivate func free(_ blocks: [Block]) {
        guard !blocks.isEmpty else { return }
        state.withLock { $0.free += blocks.map(\.number) }
    }

    private func take() throws -> (file: any RawFile, number: Int) {
        try state.withLock { state in
            let file = try state.file ?? Self.open()
            state.file = file
            if let number = state.free.popLast() { return (file, number) }
            state.end += 1
            return (file, state.end - 1)
        }
    }

    private static func open() throws -> SystemFile {
        let folder = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var path = Array("\(folder)/pledge-export-XXXXXX".utf8CString)
        let opened = mkstemp(&path)
        guard opened >= 0 else { throw StopError(writing: "a temporary file in \(folder)", errno) }
        // Gone with the process, however that ends.
        unlink(path)
        return SystemFile(opened, named: "a temporary file in \(folder)")
    }
}
