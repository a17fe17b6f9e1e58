import Foundation
import PledgeFiles
import Testing

@testable import PledgeCommand

@Suite("Data that waits to be written", .serialized)
struct SpoolTests {
    private func bytes(_ spool: Spool) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try spool.forEachPiece { bytes += $0 }
        return bytes
    }

    @Test("Data for which a full disk has no room stays in memory, and none comes out twice")
    func fullDisk() throws {
        let disk = SimulatedDisk(seed: 1)
        let spool = Spool(in: SpoolFile(try disk.location("spool").open()))
        let pieces = (1...3).map { [UInt8](repeating: $0, count: 40_000) }
        for piece in pieces { try spool.append(piece) }

        for room in [0, 50_000, 1, 45_000, 20_000] {
            disk.faults = .init(shortWrites: true, room: room)
            #expect(throws: FileError.self) { try spool.spill() }
            #expect(try bytes(spool) == Array(pieces.joined()), "room for \(room)")
        }
        disk.faults = .init()
        try spool.spill()
        #expect(try bytes(spool) == Array(pieces.joined()))
        #expect(disk.text("spool").utf8.count < 2 * spool.count, "abandoned space is used again")
    }

    #if os(Linux)
        @Test("Data in the temporary file is accessible only to its owner, and the file has no name")
        func spool() throws {
            let before = umask(0)
            defer { umask(before) }
            let spool = Spool()
            try spool.append([UInt8](repeating: 1, count: Spool.mostInMemory + 1))

            let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            let ours = open.compactMap { name -> String? in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
                // Other tests replace files in folders of their own.
                return target?.contains("/.pledge-") == true && target?.contains("/pledge-") == false ? name : nil
            }
            var status = stat()
            #expect(ours.count == 1 && fstat(Int32(ours.first ?? "") ?? -1, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600 && status.st_nlink == 0)
            withExtendedLifetime(spool) {}
        }
    #endif
}
