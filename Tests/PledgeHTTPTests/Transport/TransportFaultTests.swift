import Foundation
import Pledge
import PledgeHTTP
import PledgeSandbox
import Testing

/// What comes of every fault of the line, for a GET and for a POST, over each transport, and how often the service saw
/// the request: the table in the article "Transports" is this one. Nothing here asks for a second attempt.
@Suite("Faults of the line", .serialized)
struct TransportFaultTests {
    struct Fault: CustomTestStringConvertible, Sendable {
        var name: String
        var response: @Sendable () -> SandboxResponse
        /// What comes of it.
        var outcome: String
        /// What comes of it over `URLSession` on Linux, for a GET and for a POST, and why that cannot be mended.
        var onURLSession: (get: String, post: String, reason: String)?
        /// The connection was used before, so that it may be dead by now.
        var isOnUsedConnection = false
        /// `URLSession` on Linux ends the process.
        var crashesURLSession = false

        var testDescription: String { name }

        init(
            _ name: String, _ response: @escaping @Sendable @autoclosure () -> SandboxResponse,
            _ outcome: String
        ) {
            self.name = name
            self.response = response
            self.outcome = outcome
        }

        func onURLSession(_ get: String, post: String? = nil, because reason: String) -> Fault {
            var fault = self
            fault.onURLSession = (get, post ?? get, reason)
            return fault
        }

        func crashingURLSession(because reason: String) -> Fault {
            var fault = onURLSession("ends the process", because: reason)
            fault.crashesURLSession = true
            return fault
        }

        func onUsedConnection() -> Fault {
            var fault = self
            fault.isOnUsedConnection = true
            return fault
        }

        func expected(_ kind: StandardTransport.Kind, _ method: HTTPMethod) -> String {
            guard kind == .urlSession, let onURLSession else { return outcome }
            return method == .get ? onURLSession.get : onURLSession.post
        }

        /// Its row in the article.
        var row: String {
            guard let onURLSession else { return "| \(name) | \(outcome) | the same | |" }
            let (get, post, reason) = onURLSession
            return "| \(name) | \(outcome) | \(get == post ? get : "GET: \(get); POST: \(post)") | \(reason) |"
        }
    }

    private static let reply = SandboxResponse.json(["ok": true])
    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n"

    private static func raw(_ text: String) -> SandboxResponse {
        .raw(Data(text.utf8))
    }

    private static func redirect(_ status: Int) -> Fault {
        Fault("\(status)", .empty(status, headers: ["Location": "http://127.0.0.1:1/"]), "\(status), seen 1")
    }

    private static let oneError = "Foundation has one error for all of these"
    private static let stricter = "Foundation refuses the header line"

    static let faults: [Fault] = [
        Fault("no fault", reply, "200, seen 1"),
        Fault("a slow reply, but in time", reply.delayed(by: 0.1), "200, seen 1"),
        Fault("accepts and says nothing", .silence, "timed out, seen 1"),
        Fault("closes without a word", .drop, "lost, seen 1"),
        Fault("resets without a word", .reset, "lost, seen 1"),
        Fault("closes a kept connection without a word", .drop, "lost, seen 1").onUsedConnection()
            .onURLSession(
                "lost, seen 2", post: "lost, seen 1",
                because: "Foundation sends a GET again by itself; a POST has a connection of its own"),
        Fault("head trickles, too slowly", reply.trickled(8, every: 0.3), "timed out, seen 1")
            .crashingURLSession(because: "an assertion inside Foundation, now and then"),
        Fault("body trickles, in time", SandboxResponse.text("1234567890").trickled(60, every: 0.02), "200, seen 1"),
        Fault("head cut", raw("HTTP/1.1 200 OK\r\nContent-Le"), "lost, seen 1")
            .crashingURLSession(because: "an assertion inside Foundation"),
        Fault("body cut, length known", reply.cut(after: 3), "lost, seen 1"),
        Fault("body cut by a reset", reply.cut(after: 3, resetting: true), "lost, seen 1"),
        Fault("body cut between chunks", reply.chunked(4, isComplete: false), "lost, seen 1"),
        Fault("a length too many", raw(head + "Content-Length: 3\r\n\r\nhi"), "lost, seen 1"),
        Fault(
            "chunk of nonsense", raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello"), "bad, seen 1"
        )
        .onURLSession("lost, seen 1", because: oneError),
        Fault("not HTTP", raw("SSH-2.0-OpenSSH_9.2\r\n"), "bad, seen 1"),
        Fault("bytes at random", .raw(Data((0..<2_000).map { UInt8(truncatingIfNeeded: $0 &* 37) })), "bad, seen 1"),
        Fault("header without a colon", raw(head + "nonsense\r\n\r\nhi"), "bad, seen 1")
            .onURLSession("lost, seen 1", because: oneError),
        Fault("header without a blank", raw(head + "Name:value\r\n\r\nhi"), "200, seen 1")
            .onURLSession("lost, seen 1", because: stricter),
        Fault(
            "header that is no UTF-8",
            .raw(Data(head.utf8) + Data([0x41, 0x3A, 0x20, 0xE9]) + Data("\r\n\r\nhi".utf8)), "200, seen 1"
        ).onURLSession("lost, seen 1", because: stricter),
        Fault("header that goes on in the next line", raw(head + "Name: a\r\n b\r\n\r\nhi"), "200, seen 1"),
        Fault("bare line feeds", raw("HTTP/1.1 200 OK\nContent-Length: 2\nConnection: close\n\nhi"), "200, seen 1")
            .onURLSession("lost, seen 1", because: stricter),
        Fault(
            "status line without a reason", raw("HTTP/1.1 200\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"),
            "200, seen 1"
        ).onURLSession("lost, seen 1", because: stricter),
        Fault(
            "body larger than allowed", SandboxResponse(status: 200, body: Data(repeating: 0x20, count: 5_000_000)),
            "too large, seen 1"),
        Fault("gzip bomb", .gzipBomb(unpacked: 400_000), "too large, seen 1"),
        Fault(
            "packed body that is not packed",
            SandboxResponse(status: 200, headers: ["Content-Encoding": "gzip"], body: Data("plain".utf8)), "bad, seen 1"
        ).onURLSession("lost, seen 1", because: oneError),
        Fault(
            "401 that asks for a password", .empty(401, headers: ["WWW-Authenticate": "Basic realm=x"]), "401, seen 1"),
        Fault(
            "407 that asks for a password", .empty(407, headers: ["Proxy-Authenticate": "Basic realm=x"]), "407, seen 1"
        ),
        Fault("204", .empty(204), "204, seen 1"),
        Fault("304", .empty(304), "304, seen 1"),
        Fault(
            "100 and 103 before the reply",
            raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + head + "\r\nhi"),
            "200, seen 1"),
        Fault("chunked", reply.chunked(4), "200, seen 1"),
        Fault("HTTP/1.0, ends with the connection", reply.oldStyle(), "200, seen 1"),
        Fault("closes after the reply, unannounced", reply.closingUnannounced(), "200, seen 1"),
        redirect(301), redirect(302), redirect(303), redirect(307), redirect(308),
        Fault("redirect without an address", .empty(302), "302, seen 1")
            .onURLSession("bad, seen 1", because: "Foundation keeps the reply to itself"),
    ]

    @Test(
        "Each comes to what the table says, and no request is sent twice", arguments: faults,
        StandardTransport.Kind.allCases)
    func outcome(fault: Fault, kind: StandardTransport.Kind) async throws {
        let transport = StandardTransport(kind)
        guard transport.kind == kind, !(fault.crashesURLSession && kind == .urlSession) else { return }
        // An empty POST is one more kind: on a kept connection, URLSession on Linux would send it again.
        for (method, body) in [(HTTPMethod.get, nil), (.post, "{}"), (.post, "")] {
            if body == "", !fault.isOnUsedConnection { continue }
            let answer: @Sendable (SandboxRequest) -> SandboxResponse = { _ in fault.response() }
            let server = SandboxServer(routes: [
                SandboxRoute("GET /", respond: answer), SandboxRoute("POST /", respond: answer),
                SandboxRoute("GET /warm") { _ in .text("warm") }, SandboxRoute("POST /warm") { _ in .text("warm") },
            ])
            try server.start()
            defer { server.stop() }
            if fault.isOnUsedConnection {
                for method in [HTTPMethod.get, .post] {
                    let warm = OutgoingRequest(method: method, url: server.baseURL.appendingPathComponent("warm"))
                    _ = try await transport.send(warm).value
                }
                server.resetRequests()
            }
            // No other outcome is to depend on how quick the machine is.
            let timeout: TimeInterval = fault.expected(kind, method).hasPrefix("timed out") ? 1 : 60
            let request = OutgoingRequest(
                method: method, url: server.baseURL, body: body.map { Data($0.utf8) }, timeout: timeout,
                bodyLimit: 100_000)

            let result = await transport.send(request).settled().value

            let words = "\(word(for: result)), seen \(server.requests.count)"
            #if os(Linux)
                #expect(words == fault.expected(kind, method), "\(method) \(body ?? "")")
            #else
                // What Apple's URLSession makes of it was not measured, but that it sends nothing twice can be asked.
                #expect(server.requests.count == 1, "\(words): \(fault.name) × \(method)")
            #endif
        }
    }

    @Test(
        "A service that refuses, or a name that is not known, cannot be reached",
        arguments: StandardTransport.Kind.allCases)
    func unreachable(kind: StandardTransport.Kind) async throws {
        for text in ["http://127.0.0.1:1/", "http://nobody.invalid/"] {
            let address = try #require(URL(string: text))
            for method in [HTTPMethod.get, .post] {
                let request = OutgoingRequest(method: method, url: address)
                let result = await StandardTransport(kind).send(request).settled().value
                #expect(word(for: result) == "unreachable", "\(address) × \(method) over \(kind.rawValue)")
            }
        }
    }

    @Test("The article shows this table")
    func article() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/PledgeHTTP/PledgeHTTP.docc/Transports.md")
        let text = try String(contentsOf: file, encoding: .utf8)

        for fault in Self.faults { #expect(text.contains(fault.row), "missing: \(fault.row)") }
    }

    private func word(for result: Result<HTTPReply, any Error>) -> String {
        guard case .failure(let error) = result else { return (try? result.get().status.description) ?? "" }
        switch error {
        case TransportError.unreachable: return "unreachable"
        case TransportError.connectionLost: return "lost"
        case TransportError.timedOut: return "timed out"
        case TransportError.tooLarge: return "too large"
        case TransportError.badReply: return "bad"
        default: return "\(error)"
        }
    }
}
