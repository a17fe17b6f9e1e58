import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHTTP

@Suite("A body in pieces")
struct FileBodyTests {
    @Test("A body of several pieces is read to its end in chunks that are never empty")
    func chunks() throws {
        var sizes: [Int] = []
        try FileBody(pieces: [.bytes(Data(count: 70_000)), .bytes(Data()), .bytes(Data("ab".utf8))]).forEachChunk {
            if $0.isEmpty { throw Fault("an empty chunk") }
            sizes.append($0.count)
        }
        #expect(sizes.reduce(0, +) == 70_002)
    }
}
