import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeServer

@Suite("The script of a server", .serialized)
final class ServerScriptTests {
    private let server: LoopbackServer

    init() throws {
        server = LoopbackServer(routes: [
            ServerRoute("GET /a/") { _ in .text("a") }, ServerRoute("GET /b/") { _ in .text("b") },
        ])
        try server.start()
    }

    deinit { Thread.detachNewThread { [server] in server.stop() } }

    private func statuses(_ targets: String...) throws -> [Int?] {
        let client = try RawClient(server.baseURL)
        return try targets.map { try client.ask("GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n")?.status }
    }

    @Test("A script makes a route fail as often as specified; after that, the route responds as usual")
    func failsThenRecovers() throws {
        server.script.next(2, matching: "GET /a/", respond: .empty(503))
        #expect(server.script.remaining == 2)
        #expect(try statuses("/a/", "/b/", "/a/?x=1", "/a/") == [503, 200, 503, 200])
        #expect(server.script.remaining == 0)
        #expect(server.requests.count == 4)
    }

    @Test("The entries of a script are used in the order in which they were added")
    func inOrder() throws {
        server.script.next(matching: "POST /a/", respond: .empty(500))
        server.script.next(matching: "GET", respond: .empty(502))
        server.script.next { _ in .empty(504) }
        #expect(try statuses("/b/", "/a/", "/a/") == [502, 504, 200])
    }

    @Test("A scripted response can drop the connection, send nonsense, or depend on the request")
    func lineFaults() async throws {
        for (fault, resets) in [
            (ServerResponse.drop, false), (.reset, true), (.steps([.pause(0.001), .reset, .wait]), true),
            (.text("a").cut(after: 0), false),
        ] {
            server.script.next(respond: fault)
            let client = try RawClient(server.baseURL)
            #expect(try client.ask("GET /a/ HTTP/1.1\r\nHost: x\r\n\r\n") == nil && client.isReset == resets)
            #expect(fault.status == 0)
        }
        server.script.next(respond: .raw(Data("HTTP/1.1 200 OK\r\nContent-Le".utf8)))
        let client = try RawClient(server.baseURL)
        client.send("GET /a/ HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.rest() == "HTTP/1.1 200 OK\r\nContent-Le")
        server.script.next(0, respond: .empty(502))
        for fault in [ServerResponse.silence, .steps([.flood("HTTP/1.1 503 \r\n\r\n")])] {
            server.script.next(respond: fault)
            try RawClient(server.baseURL).send("GET /a/ HTTP/1.1\r\nHost: x\r\n\r\n")
        }
        await Wait.until { server.requests.count == 7 && server.openConnections == 0 }
        server.script.next(.max, matching: "/a/") { $0.queryValue("fail") == "1" ? .empty(500) : nil }
        #expect([1, .number(.nan)].map { ServerResponse.json($0).status } == [200, 500])
        #expect(try statuses("/a/?fail=1", "/a/", "/b/?fail=1") == [500, 200, 200] && server.script.remaining == 0)
        server.script.reset()
        #expect(try statuses("/a/?fail=1") == [200])
    }

    @Test("A script can delay every response")
    func latency() throws {
        #expect(server.script.latency == 0 && ServerResponse.drop.delayed(by: 2).delayed(by: 3).delay == 5)
        server.script.latency = 0.05
        server.script.next(respond: .steps([.pause(0.05), .send("H"), .send("TTP/1.1 200 \r\n\r\n")]))
        let begin = Date()
        #expect(try statuses("/a/") == [200] && statuses("/a/") == [200])
        #expect(Date().timeIntervalSince(begin) >= 0.15)
    }
}
