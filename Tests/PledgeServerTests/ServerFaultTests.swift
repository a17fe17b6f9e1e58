import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeServer

@Suite("A faulty response", .serialized)
struct ServerFaultTests {
    private let response = ServerResponse.text("0123456789")

    private func sent(_ response: ServerResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    @Test("A response can be cut off at a byte, and still announces its whole length")
    func cut() {
        let text = sent(response.cut(after: 4))
        #expect(text.contains("Content-Length: 10\r\nConnection: keep-alive\r\n"))
        #expect(text.hasSuffix("\r\n\r\n0123"))
        let steps = response.cut(after: 4).steps(forHead: false, keepAlive: true)
        #expect(steps == [.send(text)])
        #expect(
            response.cut(after: 4, resetting: true).steps(forHead: false, keepAlive: true)
                == steps + [.pause(0.05), .reset])
    }

    @Test("A trickled response arrives in pieces that make up the whole response")
    func trickled() {
        var closing = response
        closing.headers["Connection"] = "close"
        let whole = sent(closing.cut(after: .max))
        let pieces = response.trickled(7, every: 0.5).steps(forHead: false, keepAlive: true)
        #expect(pieces.filter { $0 == .pause(0.5) }.count == (whole.utf8.count - 1) / 7)
        #expect(sent(.steps(pieces)) == whole && closing.headers.fields.count == 2)
    }

    @Test("A response announces the length of its body, unless its status permits no body")
    func length() {
        let texts = (100...599).map { (status: $0, sent: sent(ServerResponse.text("x", status: $0).cut(after: .max))) }
        let bare = texts.filter { !$0.sent.contains("Content-Length") && !$0.sent.hasSuffix("x") }.map(\.status)
        #expect(bare == Array(100...199) + [204, 304])
    }
}
