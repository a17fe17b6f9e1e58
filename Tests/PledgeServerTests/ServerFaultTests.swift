import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeServer

@Suite("A faulty response", .serialized)
struct ServerFaultTests {
    private let response = ServerResponse.text("0123456789")

    private func sent(_ response: ServerResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    @Test("is cut off where it should be, and still announces its whole length")
    func cut() {
        let text = sent(response.cut(after: 4))
        #expect(text.contains("Content-Length: 10\r\n"))
        #expect(text.hasSuffix("\r\n\r\n0123"))
        let steps = response.cut(after: 4).steps(forHead: false, keepAlive: true)
        #expect(steps == [.send(text)])
        #expect(
            response.cut(after: 4, resetting: true).steps(forHead: false, keepAlive: true)
                == steps + [.pause(0.05), .reset])
    }

    @Test("trickles in pieces that make up the whole")
    func trickled() {
        var closing = response
        closing.headers["Connection"] = "close"
        let whole = sent(closing.cut(after: .max))
        let pieces = response.trickled(7, every: 0.5).steps(forHead: false, keepAlive: true)
        #expect(pieces.filter { $0 == .pause(0.5) }.count == (whole.utf8.count - 1) / 7)
        #expect(sent(.steps(pieces)) == whole)
    }

    @Test("is sent in chunks, with or without their end, or ends with its connection, as in HTTP/1.0")
    func chunked() {
        #expect(sent(response.chunked(6)).hasSuffix("\r\n\r\n6\r\n012345\r\n4\r\n6789\r\n0\r\n\r\n"))
        #expect(sent(response.chunked(0)).contains("\r\n1\r\n0\r\n1\r\n1\r\n"))
        #expect(sent(response.chunked(6, isComplete: false)).hasSuffix("4\r\n6789\r\n"))
        #expect(sent(response.oldStyle()).hasPrefix("HTTP/1.0 200"))
        let bare = (100...599).filter { !sent(ServerResponse.empty($0).cut(after: .max)).contains("Content-Length") }
        #expect(bare == Array(100...199) + [204, 304])
        for response in [response.chunked(6), response.oldStyle()] {
            #expect(!sent(response).contains("Content-Length"))
        }
    }
}
