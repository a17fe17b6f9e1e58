import Foundation
import PledgeFiles
import PledgeTestSupport

@testable import PledgeCommand

/// A simulated disk that fails in the ways of a real disk. A write may be short, the disk may be full, a sync may fail,
/// and data that was not synced may be lost when the power fails.
final class SimulatedDisk {
    final class Inode {
        var bytes: [UInt8] = []
        /// The bytes that survive a power failure.
        var durable: [UInt8] = []
        var owner: Int?
    }

    /// What goes wrong while a process runs. Calls and syncs are counted from the start of the process.
    struct Faults: Equatable, Sendable {
        var shortWrites = false
        /// The number of bytes that still fit on the disk, or nil if the disk never gets full.
        var room: Int?
        /// The number of the sync that fails with EIO.
        var failingSync: Int?
        /// The number of the call at which the process dies.
        var deadlyCall: Int?
    }

    var names: [String: Inode] = [:]
    fileprivate var durableNames: [String: Inode] = [:]
    var faults = Faults()
    fileprivate var (process, isDead) = (0, false)
    private var (syncs, calls) = (0, 0)
    fileprivate var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// Begins another process, and releases the locks of the previous process.
    func beginProcess(_ faults: Faults) {
        self.faults = faults
        process += 1
        (isDead, syncs, calls) = (false, 0, 0)
    }

    /// Simulates a power failure. Of the bytes that were not synced, some at the beginning may survive, and zeros may
    /// follow them.
    func losePower() {
        if Bool.random(using: &generator) { names = durableNames }
        // The names are sorted, so that the result depends only on the seed.
        for (_, inode) in names.sorted(by: { $0.key < $1.key }) {
            var kept = inode.durable
            if inode.bytes.count > kept.count, inode.bytes.starts(with: kept) {
                let tail = inode.bytes[kept.count...]
                let length = Int.random(in: 0...tail.count, using: &generator)
                let written = Int.random(in: 0...length, using: &generator)
                kept += tail.prefix(written) + [UInt8](repeating: 0, count: length - written)
            }
            (inode.bytes, inode.durable) = (kept, kept)
        }
        durableNames = names
    }

    func location(_ name: String) -> any FileLocation { Location(self, name) }

    func text(_ name: String) -> String { String(decoding: names[name]?.bytes ?? [], as: UTF8.self) }

    /// Counts a call, and throws if the process has died.
    fileprivate func call() throws(FileError) {
        calls += 1
        if calls == faults.deadlyCall { isDead = true }
        if isDead { throw FileError(writing: "a dead disk", ESHUTDOWN) }
    }

    fileprivate func write(
        _ bytes: UnsafeRawBufferPointer, to inode: Inode, at offset: Int?
    ) throws(FileError) -> Int {
        try call()
        var count = bytes.count
        if faults.shortWrites, count > 1 { count = Int.random(in: 1...count, using: &generator) }
        if let room = faults.room {
            guard room > 0 || count == 0 else { throw FileError(writing: "a disk", ENOSPC) }
            count = min(count, room)
            faults.room = room - count
        }
        let start = offset ?? inode.bytes.count
        inode.bytes += [UInt8](repeating: 0, count: max(0, start + count - inode.bytes.count))
        inode.bytes.replaceSubrange(start..<start + count, with: bytes.prefix(count))
        return count
    }

    fileprivate func sync(_ inode: Inode) throws(FileError) {
        try call()
        syncs += 1
        guard syncs != faults.failingSync else {
            // As on a real disk, the data may be lost after a failed sync, but later syncs don't report the failure.
            throw FileError(writing: "a disk", EIO)
        }
        inode.durable = inode.bytes
    }

    private final class Location: FileLocation {
        let disk: SimulatedDisk
        let path: String

        init(_ disk: SimulatedDisk, _ path: String) {
            self.disk = disk
            self.path = path
        }

        var isTaken: Bool { disk.names[path] != nil }

        func open() throws -> any RawFile {
            try disk.call()
            let inode = disk.names[path] ?? Inode()
            disk.names[path] = inode
            return File(disk, inode, path)
        }

        func holds(_ file: any RawFile) -> Bool { (file as? File)?.inode === disk.names[path] }

        func currentPath(of file: any RawFile) -> String? {
            disk.names.first { $0.value === (file as? File)?.inode }?.key
        }

        func beside(_ suffix: String) throws -> any FileLocation { Location(disk, path + suffix) }

        func makeTemporary() throws -> (file: any RawFile, name: String) {
            try disk.call()
            let (inode, name) = (Inode(), ".pledge-\(UInt64.random(in: 0 ... .max, using: &disk.generator)).tmp")
            inode.owner = disk.process
            disk.names[name] = inode
            return (File(disk, inode, path), name)
        }

        func moveHere(_ temporary: String) throws {
            try disk.call()
            disk.names[path] = disk.names.removeValue(forKey: temporary)
        }

        func removeTemporary(_ temporary: String) {
            if !disk.isDead { disk.names[temporary] = nil }
        }

        func syncFolder() throws {
            try disk.call()
            disk.durableNames = disk.names
        }
    }

    private final class File: RawFile {
        let disk: SimulatedDisk
        let inode: Inode
        let name: String
        private var holder: Int?

        init(_ disk: SimulatedDisk, _ inode: Inode, _ name: String) {
            self.disk = disk
            self.inode = inode
            self.name = name
        }

        func write(_ bytes: UnsafeRawBufferPointer, at offset: Int?) throws(FileError) -> Int {
            try disk.write(bytes, to: inode, at: offset)
        }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileError) -> Int {
            guard offset < inode.bytes.count else { return 0 }
            let count = min(buffer.count, inode.bytes.count - offset)
            inode.bytes.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[offset..<offset + count])) }
            return count
        }

        func truncate(to length: Int) throws(FileError) {
            try disk.call()
            if inode.bytes.count > length { inode.bytes.removeLast(inode.bytes.count - length) }
        }

        func length() throws(FileError) -> Int { inode.bytes.count }
        func sync() throws(FileError) { try disk.sync(inode) }

        func lock() -> Bool {
            guard inode.owner == nil || inode.owner != disk.process else { return false }
            (inode.owner, holder) = (disk.process, disk.process)
            return true
        }

        func unlock() { if inode.owner == holder { inode.owner = nil } }
    }
}
