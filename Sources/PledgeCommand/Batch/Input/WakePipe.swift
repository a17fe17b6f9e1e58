import Foundation
import PledgeFiles

extension LineReader {
    /// Returns a closure that reads the next bytes of a descriptor; it returns 0 at the end, or once `wake` wakes it.
    static func bytes(of descriptor: Int32, wake: WakePipe) -> (UnsafeMutableRawBufferPointer) throws -> Int {
        { buffer in
            while wake.waitForInput(descriptor) {
                let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
                if count >= 0 { return count }
                guard errno == EINTR || errno == EAGAIN else { throw FileError(reading: "The input", errno) }
            }
            return 0
        }
    }
}

/// Interrupts a wait for input from another thread.
final class WakePipe: Sendable {
    private let ends: (read: Int32, write: Int32)

    init() throws { ends = try ChildProcess.makePipe() }

    deinit {
        close(ends.read)
        close(ends.write)
    }

    func signal() { _ = write(ends.write, [1], 1) }

    /// Returns false if it was woken first.
    fileprivate func waitForInput(_ descriptor: Int32) -> Bool {
        var waits = [descriptor, ends.read].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&waits, 2, -1) < 0, errno == EINTR {}
        return waits[1].revents == 0
    }
}
