import Foundation
import Pledge
import PledgeFiles

/// A temporary file that consists of reusable blocks. All lines share this file. If each line had its own file, 10,000
/// waiting accounts would need 10,000 file descriptors.
final class SpillFile: Sendable {
    struct Block {
        fileprivate var number: Int
        fileprivate var count: Int
    }

    private struct State {
        var file: (any RawFile)?
        var free: [Int] = []
        var end = 0
    }

    static let shared = SpillFile()
    private static let blockSize = 16 << 10
    private let state: Locked<State>

    init(_ file: (any RawFile)? = nil) { state = Locked(State(file: file)) }

    /// Writes the bytes, and returns the blocks that contain them. If writing fails, frees these blocks and throws.
    func write(_ bytes: [UInt8]) throws -> [Block] {
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

    func read(_ block: Block) throws -> [UInt8] {
        let bytes = try state.withLock(\.file)?.read(block.count, at: block.number * Self.blockSize)
        guard let bytes, bytes.count == block.count else { throw FileError(reading: "A temporary file", EIO) }
        return bytes
    }

    func free(_ blocks: [Block]) {
        state.withLock { $0.free += blocks.map(\.number) }
    }

    private func take() throws -> (file: any RawFile, number: Int) {
        try state.withLock { state in
            let file = try state.file ?? Self.open()
            state.file = file
            if let number = state.free.popLast() { return (file, number) }
            defer { state.end += 1 }
            return (file, state.end)
        }
    }

    private static func open() throws -> any RawFile {
        let location = try OutputPath(NSTemporaryDirectory() + "/a temporary file")
        let (file, name) = try location.makeTemporary()
        // The file's name is removed immediately. So the system deletes the file when the process ends, even if the
        // process is killed.
        location.removeTemporary(name)
        return file
    }
}
