import Foundation
import PledgeFiles
import PledgeTestSupport
import Testing

@Suite("A lock among processes")
struct FileLockTests {
    @Test("Nobody else gets a lock while it is held, not even to share it, and the next one does afterwards")
    func exclusive() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("name.lock")
        let lock = try FileLock(path)
        let other = open(path, O_RDWR)
        defer { close(other) }

        #expect(flock(other, LOCK_SH | LOCK_NB) != 0)
        lock.release()
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        #expect(folder.mode("name.lock") == 0o600)
    }
}
