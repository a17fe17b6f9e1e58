import Dispatch
import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeServer

@Suite("The server", .serialized)
final class LoopbackServerTests {
    private let server: LoopbackServer

    init() throws {
        server = LoopbackServer(routes: [
            ServerRoute("GET /hello/") { _ in .text("Hello!") },
            ServerRoute("POST /echo/") { ServerResponse(status: 200, body: $0.body) },
            ServerRoute("GET /people/{name}/") { .text($0.parameters["name"] ?? "") },
            ServerRoute("GET /to/") { .empty(302, headers: ["Location": $0.queryValue("place") ?? ""]) },
            ServerRoute("GET /nothing/") { _ in .empty(204) }, ServerRoute("GET /nothing/") { _ in .empty(200) },
            ServerRoute("GET /broken/") { _ in throw CancellationError() },
            ServerRoute("GET /no way/") { _ in throw ServerResponse.json(["no": true], status: 418) },
        ])
        try server.start()
    }

    deinit { Thread.detachNewThread { [server] in server.stop() } }

    @Test("Stopping a server returns soon")
    func stop() async {
        let stops = Recorder<Void>()
        Thread.detachNewThread { [server] in stops.append(server.stop()) }
        await Wait.until { stops.all.count == 1 }
    }

    /// Sends a request over a connection of its own, and returns the response.
    private func ask(_ text: String) throws -> ResponseBytes? { try RawClient(server.baseURL).ask(text) }

    private func get(_ path: String, _ more: String = "") -> String { "GET \(path) HTTP/1.1\r\nHost: x\r\n\(more)\r\n" }

    @Test(
        "No request can insert a header into the response, whether with a whole line break or half of one",
        arguments: ["%0D%0A", "%0D", "%0A", "%0D%0D%0A", "%00"])
    func smuggling(lineBreak: String) throws {
        let client = try RawClient(server.baseURL)
        client.send(get("/to/?place=here\(lineBreak)Set-Cookie:%20a", "Connection: close\r\n"))
        let text = try client.rest()
        let bytes = Array(text.utf8)
        #expect(bytes.indices.allSatisfy { bytes[$0] != 0x0D || bytes[($0 + 1)...].first == 0x0A })
        #expect(text.hasPrefix("HTTP/1.1 302") && !bytes.contains(0))
        let names = text.components(separatedBy: "\r\n").map { $0.prefix { $0 != ":" } }
        #expect(names.contains("Location") && !names.contains("Set-Cookie"))
        #expect(text.utf8.filter { $0 == 0x0A }.count == text.components(separatedBy: "\r\n").count - 1)
    }

    @Test("A server responds to many requests on one connection, and numbers its connections")
    func keepAlive() throws {
        let client = try RawClient(server.baseURL)
        for _ in 0..<3 { #expect(try client.ask(get("/hello/"))?.body == "Hello!") }
        #expect(try ask(get("/hello/"))?.headers["connection"] == "keep-alive")
        #expect(server.requests.map(\.connection) == [1, 1, 1, 2] && server.acceptedConnections == 2)
        while server.openConnections != 1 { sched_yield() }
        #expect(try client.ask(get("/hello/"))?.status == 200)
    }

    @Test("A server responds to pipelined requests in order")
    func pipelining() throws {
        let client = try RawClient(server.baseURL)
        let names = (0..<50).map(String.init)
        client.send(names.map { get("/people/\($0)/") }.joined())
        #expect(try names.map { _ in try client.response()?.body } == names)
    }

    @Test("A client that waits for permission is asked for the body; HEAD is answered like GET, but without a body")
    func head() throws {
        let client = try RawClient(server.baseURL)
        let post = "POST /echo/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"
        #expect(try client.ask(post)?.status == 100)
        #expect(try client.ask("k")?.body == "k")
        let head = try client.ask("HEAD /hello/ HTTP/1.1\r\nHost: x\r\n\r\n", toHead: true)
        #expect(head?.headers["content-length"] == "6")
        let empty = try client.ask(get("/nothing/"))
        #expect(empty?.status == 204 && empty?.headers["content-length"] == nil)
    }

    @Test("A server closes a connection after a malformed or HTTP/1.0 request, or if the client asks for that")
    func close() async throws {
        for (request, status) in [("NONSENSE\r\n\r\n", 400), (get("/hello/", "Connection: close\r\n"), 200)] {
            let client = try RawClient(server.baseURL)
            let response = try client.ask(request + get("/hello/"))
            #expect(response?.status == status && response?.headers["connection"] == "close")
            #expect(try client.response() == nil && server.requests.count == (status == 200 ? 1 : 0))
            await Wait.until { server.openConnections == 0 }
        }
        let old = try RawClient(server.baseURL)
        old.send("GET /hello/ HTTP/1.0\r\n\r\n")
        #expect(try old.rest().hasSuffix("Hello!"))
    }

    @Test(
        "A server matches routes like Django: it redirects to add a missing slash, and names the allowed methods",
        arguments: [
            ("GET /hello/", 200), ("GET /people/n%20n/", 200), ("GET /nowhere/", 404), ("GET /hello?a=%20b", 301),
            ("DELETE /hello/", 405), ("GET /broken/", 500), ("GET /no%20way/", 418), ("GET /people//", 404),
            ("GET http://x/hello/?a", 200), ("GET https://x", 404), ("GET /hello/#a", 200), ("OPTIONS *", 404),
        ])
    func routing(request: String, status: Int) throws {
        let response = try ask("\(request) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(response?.status == status)
        #expect(response?.headers["location"] == (status == 301 ? "http://x/hello/?a=%20b" : nil))
        #expect(response?.headers["allow"] == (status == 405 ? "GET, HEAD" : nil))
    }

    @Test("A server rejects a header of more than 64 kB and a body of more than 16 MB")
    func limits() throws {
        #expect(try ask(get("/hello/", "X: \(String(repeating: "x", count: 66_000))\r\n"))?.status == 431)
        func echo(length: Int) throws -> ResponseBytes? {
            let head = "POST /echo/ HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\n\r\n"
            return try ask(head + String(repeating: "a", count: 1_000_000))
        }
        // The response must arrive even though the client is still sending.
        #expect(try echo(length: 16_777_217)?.status == 413)
        #expect(try echo(length: 1_000_000)?.body.utf8.count == 1_000_000)
    }

    @Test("A server keeps the last requests as they were received, up to a limit")
    func log() throws {
        let server = LoopbackServer(routes: [], logLimit: 4)
        try server.start()
        defer { server.stop() }
        let client = try RawClient(server.baseURL)
        for number in 0..<9 {
            let request = "POST /\(number)?x=%41 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n\(number)"
            #expect(try client.ask(request)?.status == 404)
        }
        #expect(server.requests.map(\.target) == ["/5?x=%41", "/6?x=%41", "/7?x=%41", "/8?x=%41"])
        #expect(server.requests.last?.body == Data("8".utf8))
        server.resetRequests()
        #expect(server.requests.isEmpty && self.server.logLimit == 10_000)
    }
}
