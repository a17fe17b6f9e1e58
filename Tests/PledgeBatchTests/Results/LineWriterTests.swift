import Foundation
import Pledge
import PledgeBatch
import Testing

@Suite("A writer of lines")
struct LineWriterTests {
    @Test("Lines that arrive while others are written are written next, all at once, and later ones as well")
    func together() async throws {
        let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let written = Locked<[[Int]]>([])
        let writer = LineWriter<Int> { lines in
            #expect(!lines.isEmpty)
            written.withLock { $0.append(lines) }
            begun.signal()
            mayEnd.wait()
        }
        let first = writer.write(1)
        begun.wait()
        let others = (2...4).map(writer.write)
        for _ in 0..<3 { mayEnd.signal() }
        try await when(fulfilled: [first] + others).asVoid().value
        try await writer.write(5).value
        #expect(written.withLock { $0 } == [[1], [2, 3, 4], [5]])
    }
}
