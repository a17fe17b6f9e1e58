import Foundation
import Pledge
import PledgeFiles

/// Bytes that are not written yet: in memory while they are few, otherwise in an unnamed temporary file.
final class Spool {
    private var pieces: [[UInt8]] = []
    private var inMemory = 0
    private var blocks: [SpoolFile.Block] = []
    private(set) var count = 0
    private let file: SpoolFile

    /// The bytes held in memory for one account: with a hundred accounts at work, at most some 20 megabytes.
    static let mostInMemory = 192 << 10

    init(in file: SpoolFile = .shared) { self.file = file }

    deinit { file.free(blocks) }

    func append(_ bytes: [UInt8]) throws {
        pieces.append(bytes)
        inMemory += bytes.count
        count += bytes.count
        if inMemory > Self.mostInMemory { try spill() }
    }

    /// Frees its memory, for an account that will wait. If there is no room for that, the bytes stay in memory.
    func spill() throws {
        while let piece = pieces.first {
            blocks += try file.write(piece)
            pieces.removeFirst()
            inMemory -= piece.count
        }
    }

    /// Reads everything in order, in chunks.
    func forEachPiece(_ body: ([UInt8]) throws -> Void) throws {
        for block in blocks { try body(file.read(block)) }
        try pieces.forEach(body)
    }
}

/// A temporary file shared by all spools of the process, in blocks that are reused: ten thousand waiting accounts must
/// not take ten thousand descriptors.
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

    /// - Parameter file: The file; the system's temporary one by default.
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
        guard let bytes, bytes.count == block.count else { throw FileError(reading: "A temporary file", EIO) }
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

    private static func open() throws -> any RawFile {
        let folder = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        let location = try OutputPath("\(folder)/a temporary file")
        let (file, name) = try location.makeTemporary()
        // Deleted with the process, however that ends.
        location.removeTemporary(name)
        return file
    }
}
