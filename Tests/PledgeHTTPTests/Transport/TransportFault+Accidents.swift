import Foundation
import PledgeSandbox

extension TransportFault {
    /// Faults that occur by accident.
    static let response = ServerResponse.json(["ok": true])
    static let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n"

    static func raw(_ text: String) -> ServerResponse { .raw(Data(text.utf8)) }

    static func redirect(_ status: Int) -> TransportFault {
        TransportFault("\(status)", .empty(status, headers: ["Location": "http://127.0.0.1:1/"]), "\(status), seen 1")
    }

    static let stricter = "Foundation refuses the header line"

    static let accidents: [TransportFault] = [
        TransportFault("no fault", response, "200, seen 1"),
        TransportFault("a slow response, but in time", response.delayed(by: 0.1), "200, seen 1"),
        TransportFault("accepts and says nothing", .silence, "timed out, seen 1"),
        TransportFault("closes without a response", .drop, "lost, seen 1"),
        TransportFault("resets without a response", .reset, "lost, seen 1"),
        TransportFault("closes a kept connection without a response", .drop, "lost, seen 1").onUsedConnection()
            .onURLSession(
                "lost, seen 2", post: "lost, seen 1",
                because: "Foundation sends a GET again by itself; a POST has a connection of its own"),
        TransportFault(
            "body trickles, in time", ServerResponse.text("1234567890").trickled(60, every: 0.02), "200, seen 1"),
        TransportFault("head cut", raw("HTTP/1.1 200 OK\r\nContent-Le"), "lost, seen 1")
            .crashingURLSession(because: "an assertion inside Foundation"),
        TransportFault("body cut, length known", response.cut(after: 3), "lost, seen 1"),
        TransportFault("body cut by a reset", response.cut(after: 3, resetting: true), "lost, seen 1"),
        TransportFault("body cut between chunks", raw(chunked + "2\r\nhi\r\n"), "lost, seen 1"),
        // With two Content-Length headers, libcurl 8.14 uses the last one, and libcurl 8.23 refuses the response.
        TransportFault(
            "two different Content-Length headers", raw(head + "Content-Length: 3\r\n\r\nhi"), "lost, seen 1"
        )
        .onNewerCurl("bad, seen 1"),
        TransportFault(
            "chunk of nonsense", raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello"), "bad, seen 1"
        ),
        TransportFault("not HTTP", raw("SSH-2.0-OpenSSH_9.2\r\n"), "bad, seen 1"),
        TransportFault(
            "bytes at random", .raw(Data((0..<2_000).map { UInt8(truncatingIfNeeded: $0 &* 37) })), "bad, seen 1"),
        TransportFault("header without a colon", raw(head + "nonsense\r\n\r\nhi"), "bad, seen 1"),
        TransportFault("header without a space", raw(head + "Name:value\r\n\r\nhi"), "200, seen 1")
            .onURLSession("bad, seen 1", because: stricter),
        TransportFault(
            "header that isn't UTF-8",
            .raw(Data(head.utf8) + Data([0x41, 0x3A, 0x20, 0xE9]) + Data("\r\n\r\nhi".utf8)), "200, seen 1"
        ).onURLSession("bad, seen 1", because: stricter),
        TransportFault("header that goes on in the next line", raw(head + "Name: a\r\n b\r\n\r\nhi"), "200, seen 1"),
        TransportFault(
            "bare line feeds", raw("HTTP/1.1 200 OK\nContent-Length: 2\nConnection: close\n\nhi"), "200, seen 1"
        )
        .onURLSession("bad, seen 1", because: stricter),
        TransportFault(
            "status line without a reason", raw("HTTP/1.1 200\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"),
            "200, seen 1"
        ).onURLSession("bad, seen 1", because: stricter),
        TransportFault(
            "body larger than allowed", ServerResponse(status: 200, body: Data(repeating: 0x20, count: 5_000_000)),
            "too large, seen 1"),
        TransportFault(
            "packed body that is not packed",
            ServerResponse(status: 200, headers: ["Content-Encoding": "gzip"], body: Data("plain".utf8)), "bad, seen 1"
        ),
        TransportFault(
            "401 that asks for a password", .empty(401, headers: ["WWW-Authenticate": "Basic realm=x"]), "401, seen 1"
        ).crashingOlderURLSession(),
        TransportFault(
            "407 that asks for a password", .empty(407, headers: ["Proxy-Authenticate": "Basic realm=x"]), "407, seen 1"
        ),
        TransportFault("204", .empty(204), "204, seen 1"),
        TransportFault("304", .empty(304), "304, seen 1"),
        TransportFault(
            "100 and 103 before the response",
            raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + head + "\r\nhi"),
            "200, seen 1"),
        TransportFault("chunked", raw(chunked + "2\r\nhi\r\n0\r\n\r\n"), "200, seen 1"),
        TransportFault("HTTP/1.0, ends with the connection", raw("HTTP/1.0 200 OK\r\n\r\nhi"), "200, seen 1"),
        TransportFault("closes after the response, unannounced", response.cut(after: .max), "200, seen 1"),
        redirect(301), redirect(302), redirect(303), redirect(307), redirect(308),
        TransportFault("redirect without an address", .empty(302), "302, seen 1")
            .onURLSession("bad, seen 1", because: "Foundation keeps the response to itself"),
    ]
}
