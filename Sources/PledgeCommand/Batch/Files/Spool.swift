import Foundation
import Pledge

/// Bytes that are not written yet: in memory while they are few, else in a temporary file without a name.
final class Spool {
    private var pieces: [[UInt8]] = []
    private var inMemory = 0
    private var blocks: [SpoolFile.Block] = []
    private(set) var count = 0

    /// Bytes held in memory for one account; with a hundred accounts under way that is some 20 megabytes at most.
    static let mostInMemory = 192 << 10

    deinit { SpoolFile.shared.free(blocks) }

    func append(_ bytes: [UInt8]) throws {
        pieces.append(bytes)
        inMemory += bytes.count
        count += bytes.count
        if inMemory > Self.mostInMemory { try spill() }
    }

    /// Keeps nothing in memory, for an account that will wait.
    func spill() throws {
        for piece in pieces { blocks += try SpoolFile.shared.write(piece) }
        (pieces, inMemory) = ([], 0)
    }

    /// All of it, in order, a piece at a time.
    func forEachPiece(_ body: ([UInt8]) throws -> Void) throws {
        for block in blocks { try body(SpoolFile.shared.read(block)) }
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
        var file: SystemFile?
        var free: [Int] = []
        var end = 0
    }

    static let shared = SpoolFile()
    private static let blockSize = 16 << 10
    private let state = Locked(State())

    fileprivate func write(_ bytes: [UInt8]) throws -> [Block] {
        try stride(from: 0, to: bytes.count, by: Self.blockSize).map { start in
            let piece = bytes[start..<min(start + Self.blockSize, bytes.count)]
            let (descriptor, number) = try take()
            let block = Block(number: number, count: piece.count)
            var written = 0
            while written < piece.count {
                let count = piece.dropFirst(written).withUnsafeBytes {
                    pwrite(descriptor, $0.baseAddress, $0.count, off_t(number * Self.blockSize + written))
                }
                guard count >= 0 || errno == EINTR else {
                    let code = errno
                    free([block])
                    throw StopError(writing: "a temporary file", code)
                }
                written += max(0, count)
            }
            return block
        }
    }

    fileprivate func read(_ block: Block) throws -> [UInt8] {
        let descriptor = state.withLock { $0.file?.descriptor ?? -1 }
        return try [UInt8](unsafeUninitializedCapacity: block.count) { buffer, count in
            while count < block.count {
                let more = pread(
                    descriptor, buffer.baseAddress.map { $0 + count }, block.count - count,
                    off_t(block.number * Self.blockSize + count))
                guard more > 0 || more < 0 && errno == EINTR else {
                    throw StopError(writing: "a temporary file", errno)
                }
                count += max(0, more)
            }
        }
    }

    fileprivate func free(_ blocks: [Block]) {
        guard !blocks.isEmpty else { return }
        state.withLock { $0.free += blocks.map(\.number) }
    }

    private func take() throws -> (descriptor: Int32, number: Int) {
        try state.withLock { state in
            let file = try state.file ?? Self.open()
            state.file = file
            if let number = state.free.popLast() { return (file.descriptor, number) }
            state.end += 1
            return (file.descriptor, state.end - 1)
        }
    }

    private static func open() throws -> SystemFile {
        let folder = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var path = Array("\(folder)/pledge-export-XXXXXX".utf8CString)
        let opened = mkstemp(&path)
        guard opened >= 0 else { throw StopError(writing: "a temporary file in \(folder)", errno) }
        // Gone with the process, however that ends.
        unlink(path)
        return SystemFile(opened)
    }
}
