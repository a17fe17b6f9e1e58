import Foundation
import Pledge
import PledgeFiles

/// A temporary file in reusable blocks, shared by all lines: 10,000 waiting accounts must not need as many descriptors.
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

    /// Writes all bytes, or throws and keeps none.
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
        // Unlinked now, so that it is deleted however the process ends.
        location.removeTemporary(name)
        return file
    }
}
