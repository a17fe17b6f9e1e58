import Foundation
import Pledge
import PledgeHTTP
import PledgeSandbox
import Testing

/// What comes of every fault of the line, for a GET and for a POST, over each transport, and how often the service saw
/// the request. Nothing here repeats a request, so the service must never see one twice.
@Suite("Faults of the line")
struct TransportFaultTests {
    struct Fault: CustomTestStringConvertible, Sendable {
        var name: String
        /// What each transport makes of it.
        var outcomes: [StandardTransport.Kind: String]
        var response: @Sendable () -> SandboxResponse

        var testDescription: String { name }

        /// The same over both transports.
        init(_ name: String, _ response: @escaping @Sendable @autoclosure () -> SandboxResponse, _ outcome: String) {
            self.init(name, response(), curl: outcome, urlSession: outcome)
        }

        /// `note` says why `URLSession` on Linux cannot do better.
        init(
            _ name: String, _ response: @escaping @Sendable @autoclosure () -> SandboxResponse, curl: String,
            urlSession: String, note: String = ""
        ) {
            self.name = name
            self.response = response
            outcomes = [.curl: curl, .urlSession: urlSession]
        }
    }

    static let reply = SandboxResponse.json(["ok": true])
    static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n"

    static let faults: [Fault] = [
        Fault("none", reply, "200"),
        Fault("accepts and says nothing", .silence, "timed out"),
        Fault("closes without a word", .drop, "lost"),
        Fault("resets without a word", .reset, "lost"),
        Fault("head trickles, too slowly", reply.trickled(8, every: 0.3), "timed out"),
        Fault("body trickles, in time", SandboxResponse.text(String(repeating: "x", count: 400)).trickled(100, every: 0.02), "200"),
        Fault("head cut", .raw(Data("HTTP/1.1 200 OK\r\nContent-Le".utf8)), "lost"),
        Fault("body cut, length known", reply.cut(after: 3), "lost"),
        Fault("body cut by a reset", reply.cut(after: 3, resetting: true), "lost"),
        Fault("body cut between chunks", reply.chunked(4, isComplete: false), "lost"),
        Fault("chunk of nonsense", .raw(Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello".utf8)), "bad"),
        Fault("not HTTP", .raw(Data("SSH-2.0-OpenSSH_9.2\r\n".utf8)), "bad"),
        Fault("bytes at random", .raw(Data((0..<2000).map { UInt8(truncatingIfNeeded: $0 &* 37) })), "bad"),
        Fault("header without a colon", .raw(Data((hello + "nonsense\r\n\r\nhi").utf8)), "200"),
        Fault("header without a blank", .raw(Data((hello + "Name:value\r\n\r\nhi").utf8)), "200"),
        Fault("header that is no UTF-8", .raw(Data(hello.utf8) + Data([0x41, 0x3A, 0x20, 0xE9]) + Data("\r\n\r\nhi".utf8)), "200"),
        Fault("header that goes on in the next line", .raw(Data((hello + "Name: a\r\n b\r\n\r\nhi").utf8)), "200"),
        Fault("bare line feeds", .raw(Data((hello + "\r\nhi").replacingOccurrences(of: "\r\n", with: "\n").utf8)), "200"),
        Fault("status line without a reason", .raw(Data("HTTP/1.1 200\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi".utf8)), "200"),
        Fault("two lengths", .raw(Data((hello + "Content-Length: 3\r\n\r\nhi").utf8)), "200"),
        Fault("body larger than allowed", SandboxResponse(status: 200, body: Data(repeating: 0x20, count: 5_000_000)), "too large"),
        Fault("gzip bomb", .gzipBomb(unpacked: 50_000_000), "too large"),
        Fault("packed body that is not packed", SandboxResponse(status: 200, headers: ["Content-Encoding": "gzip"], body: Data("plain".utf8)), "bad"),
        Fault("401 that asks for a password", .empty(401, headers: ["WWW-Authenticate": "Basic realm=x"]), "401"),
        Fault("407 that asks for a password", .empty(407, headers: ["Proxy-Authenticate": "Basic realm=x"]), "407"),
        Fault("204", .empty(204), "204"),
        Fault("304", .empty(304), "304"),
        Fault("100 and 103 before the reply", .raw(Data("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n\(hello)\r\nhi".utf8)), "200"),
        Fault("chunked", reply.chunked(4), "200"),
        Fault("HTTP/1.0, ends with the connection", reply.oldStyle(), "200"),
        Fault("closes after the reply, unannounced", reply.closingUnannounced(), "200"),
        Fault("301", .empty(301, headers: ["Location": "/other"]), "301"),
        Fault("302", .empty(302, headers: ["Location": "/other"]), "302"),
        Fault("303", .empty(303, headers: ["Location": "/other"]), "303"),
        Fault("307", .empty(307, headers: ["Location": "/other"]), "307"),
        Fault("308", .empty(308, headers: ["Location": "http://127.0.0.1:1/"]), "308"),
        Fault("redirect without an address", .empty(302), "302"),
        Fault("slow, but in time", reply.delayed(by: 0.1), "200"),
    ]

    @Test("Each comes to what the table says", arguments: faults, StandardTransport.Kind.allCases)
    func outcome(fault: Fault, kind: StandardTransport.Kind) async throws {
        for method in [HTTPMethod.get, .post] {
            let response = fault.response
            let server = SandboxServer(routes: [
                SandboxRoute("GET /") { _ in response() }, SandboxRoute("POST /") { _ in response() },
            ])
            try server.start()
            defer { server.stop() }
            let request = OutgoingRequest(
                method: method, url: server.baseURL, headers: ["Accept": "*/*"],
                body: method == .post ? Data("{}".utf8) : nil, timeout: 1, bodyLimit: 100_000)

            let result = await StandardTransport(kind).send(request).settled().value

            print("CELL \(fault.name) | \(kind) | \(method) | \(word(for: result)), seen \(server.requests.count)")
        }
    }

    private func word(for result: Result<HTTPReply, any Error>) -> String {
        switch result {
        case .success(let reply): "\(reply.status) with \(reply.body.count) bytes"
        case .failure(let error): "\(error)"
        }
    }
}
