import Foundation
import PledgeFiles
import Testing

@testable import PledgeCommand

@Suite("The buffer of a result line", .serialized)
struct LineBufferTests {
    private let id = AccountID(service: .exist, account: "a")

    @Test("If the disk is full, the rest of a line stays in memory, and nothing is written twice")
    func fullDisk() throws {
        let disk = SimulatedDisk(seed: 1)
        let line = LineBuffer(id, spillingTo: SpillFile(try disk.location("spill").open()))
        let texts = (1...4).map { String(repeating: "\($0)", count: 30_000) }
        for (text, room) in zip(texts, [0, 50_000, 1, 100_000]) {
            try line.write { $0.field("name", text) }
            disk.faults = .init(shortWrites: true, room: room)
            line.spill()
        }
        #expect(disk.text("spill").utf8.count <= 100_000)
        disk.faults = .init()
        line.spill()
        let members = texts.map { ",\"name\":\"\($0)\"" }.joined()
        #expect(try line.text == #"{"service":"exist","account":"a"\#(members)}"# + "\n")
        #expect(disk.text("spill").utf8.count < 2 * members.utf8.count, "abandoned space is used again")
    }

    #if os(Linux)
        @Test("The temporary file of a long line is accessible only to its owner and has no name")
        func temporary() throws {
            let before = umask(0)
            defer { umask(before) }
            let line = LineBuffer(id)
            try line.write { $0.field("name", String(repeating: "1", count: LineBuffer.mostInMemory + 1)) }
            let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            let ours = open.compactMap { name -> String? in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
                // Leaves out the files of other tests, which are in temporary folders named `pledge-…`.
                return target?.contains("/.pledge-") == true && target?.contains("/pledge-") == false ? name : nil
            }
            var status = stat()
            #expect(ours.count == 1 && fstat(Int32(ours.first ?? "") ?? -1, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600 && status.st_nlink == 0)
            withExtendedLifetime(line) {}
        }
    #endif
}
