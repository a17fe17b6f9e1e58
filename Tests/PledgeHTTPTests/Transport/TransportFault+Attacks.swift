import Foundation
import PledgeSandbox

extension TransportFault {
    /// Responses that no service sends by accident.
    static let attacks: [TransportFault] = slow + endless + lengths + packed + garbage

    private static func steps(_ steps: ServerStep...) -> ServerResponse { .steps(steps) }

    /// A piece for large bodies, because sending many small pieces takes long.
    private static let block = String(repeating: "x", count: 0x10000)
    private static let line = String(repeating: "x", count: 1_000)
    static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"

    // In each of these faults, the service stops sending and never continues.
    private static let slow = [
        TransportFault(
            "head begun, then nothing", steps(.send("HTTP/1.1 200 OK\r\nConte"), .wait), "timed out, seen 1"),
        TransportFault("body begun, then nothing", steps(.send(head + "\r\nh"), .wait), "timed out, seen 1"),
        TransportFault("chunk begun, then nothing", steps(.send(chunked + "5\r\nhe"), .wait), "timed out, seen 1"),
        TransportFault(
            "interim response, then nothing", steps(.send("HTTP/1.1 102 Processing\r\n\r\n"), .wait),
            "timed out, seen 1"),
    ]

    private static let quadratic = "Foundation goes through all lines again for each"

    private static let endless = [
        TransportFault("endless bytes without a line", steps(.flood(line)), "bad, seen 1"),
        TransportFault("endless status line", steps(.send("HTTP/1.1 200 "), .flood(line)), "bad, seen 1"),
        TransportFault("endless header line", steps(.send("HTTP/1.1 200 OK\r\nA: "), .flood(line)), "bad, seen 1"),
        TransportFault("endless headers", steps(.send("HTTP/1.1 200 OK\r\n"), .flood("A: \(line)\r\n")), "bad, seen 1"),
        TransportFault("endless short headers", steps(.send("HTTP/1.1 200 OK\r\n"), .flood("A: b\r\n")), "bad, seen 1")
            .crashingURLSession("bad, after seconds of processor time", because: quadratic),
        TransportFault(
            "endless lines of one header", steps(.send("HTTP/1.1 200 OK\r\nA: b\r\n"), .flood(" c\r\n")), "bad, seen 1"
        ).crashingURLSession("bad, after minutes of processor time", because: quadratic),
        TransportFault("headers of 250 KiB", large(header: 250), "200, seen 1"),
        TransportFault("headers of 260 KiB", large(header: 260), "bad, seen 1"),
        TransportFault(
            "endless interim responses", steps(.flood("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")), "bad, seen 1"
        ).heavyOverURLSession(),
        TransportFault(
            "endless body without a length", steps(.send("HTTP/1.1 200 OK\r\n\r\n"), .flood(block)), "too large, seen 1"
        ),
        TransportFault("endless after the body's length", steps(.send(head + "\r\nhi"), .flood(line)), "200, seen 1"),
        TransportFault("endless chunks", steps(.send(chunked), .flood("10000\r\n\(block)\r\n")), "too large, seen 1"),
        TransportFault("endless chunk size", steps(.send(chunked), .flood("1")), "bad, seen 1"),
        TransportFault("endless chunk extension", steps(.send(chunked + "5;"), .flood(line)), "timed out, seen 1")
            .heavyOverURLSession(),
        TransportFault("endless trailers", steps(.send(chunked + "0\r\n"), .flood("A: \(line)\r\n")), "bad, seen 1")
            .crashingURLSession(
                "stops everything", because: "Foundation takes them without end, and does nothing else"),
        TransportFault(
            "redirect with an endless body", steps(.send("HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n"), .flood(line)),
            "too large, seen 1"
        ).onURLSession("timed out, seen 1", because: "Foundation keeps the body to itself")
            .heavyOverURLSession(isUnlimited: true),
    ]

    private static let lengths = [
        TransportFault("length below zero", raw("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello"), "bad, seen 1"),
        TransportFault(
            "Content-Length that isn't a number", raw("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nhi"), "bad, seen 1"),
        TransportFault(
            "length beyond all numbers",
            raw("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nhi"), "200, seen 1"),
        TransportFault("length shorter than the body", raw(head + "\r\nhi there"), "200, seen 1"),
        TransportFault(
            "length and chunks at once", raw(head + "Transfer-Encoding: chunked\r\n\r\n3\r\nyes\r\n0\r\n\r\n"),
            "200, seen 1"),
        TransportFault("chunk longer than its size", raw(chunked + "2\r\nhello\r\n0\r\n\r\n"), "bad, seen 1"),
        TransportFault("chunk size below zero", raw(chunked + "-2\r\nhi\r\n0\r\n\r\n"), "bad, seen 1"),
        TransportFault("chunk size beyond all numbers", raw(chunked + "fffffffffffffffff\r\nhi\r\n"), "bad, seen 1"),
        TransportFault("trailers", raw(chunked + "2\r\nhi\r\n0\r\nA: b\r\n\r\n"), "200, seen 1")
            .crashingURLSession(because: "an assertion inside Foundation"),
    ]

    private static let bomb = ServerResponse(
        status: 200, headers: ["Content-Encoding": "gzip, gzip"], body: Data(base64Encoded: twicePacked) ?? Data())
    private static let bombInBomb = ServerResponse(
        status: 200, headers: ["Content-Encoding": "gzip, gzip, gzip"],
        body: Data(base64Encoded: thricePacked) ?? Data())

    private static let packed = [
        TransportFault("80 MiB packed twice over, into 297 bytes", bomb, "too large, seen 1"),
        TransportFault("512 MiB packed three times over, into 231 bytes", bombInBomb, "too large, seen 1")
            .heavyOverURLSession(),
        TransportFault("packed body cut", bomb.cut(after: 60), "lost, seen 1"),
        TransportFault(
            "packed six times over",
            ServerResponse(
                status: 200, headers: ["Content-Encoding": "gzip, gzip, gzip, gzip, gzip, gzip"],
                body: Data("hi".utf8)), "bad, seen 1"),
        TransportFault(
            "unknown Content-Encoding",
            ServerResponse(status: 200, headers: ["Content-Encoding": "zip"], body: Data("hi".utf8)), "bad, seen 1"),
    ]

    private static let garbage = [
        TransportFault("a version of HTTP nobody speaks", raw("HTTP/9.9 200 OK\r\n\r\nhi"), "bad, seen 1"),
        TransportFault("a status of four digits", raw("HTTP/1.1 2000 OK\r\n\r\nhi"), "bad, seen 1"),
        TransportFault("empty status", raw("HTTP/1.1 \r\n\r\nhi"), "bad, seen 1"),
        TransportFault("a zero byte in a header", raw(head + "A: b\0c\r\n\r\nhi"), "bad, seen 1"),
        TransportFault("TLS alert in place of a response", .raw(Data([0x15, 3, 1, 0, 2, 2, 70])), "bad, seen 1"),
        TransportFault(
            "101 that nobody asked for", raw("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nhi"), "101, seen 1"),
        TransportFault(
            "redirect to an address of 90 kB",
            .empty(302, headers: ["Location": "/" + String(repeating: "x", count: 90_000)]), "302, seen 1"),
        TransportFault(
            "redirect to an address with a user name", .empty(302, headers: ["Location": "http://me:pass@127.0.0.1/"]),
            "302, seen 1"),
    ]

    private static func large(header kilobytes: Int) -> ServerResponse {
        var headers = ServerHeaders()
        for index in 0..<kilobytes { headers.append("N\(1_000 + index)", String(repeating: "x", count: 1_024 - 9)) }
        return ServerResponse(status: 200, headers: headers)
    }

    /// 80 MiB of spaces, compressed by gzip twice over.
    private static let twicePacked =
        "H4sIAAAAAAACA+3cIU4DYRCA0YV2E1IBiyAIBGt7g5oGqEAhKoomHACJpoRUoTkCAk1IsDhuQOsqK6pIQw1kYfcQiH/eU6NHTibf4f1W"
        + "VttsLd9u62FcPvx09586GQAAAJC48eyutVEPZfVxOjwHAAAAUne5s91ujgLfFwcn1gEAAADJm/R7RfMh8Hlz1bYOAAAASN7e1/y4uQW8"
        + "Vy+7I/sAAACA5E0FAwAAACAUwQAAAACIRTAAAAAAYhEMAAAAgGAEAwAAACAWwQAAAACIRTAAAAAAYhEMAAAAgGAEAwAAACAWwQAAAACI"
        + "RTAAAAAAYhEMAAAAgGAEAwAAACAWwQAAAACI5bHfK+vHgGJVXR8N8gwAAID/9dpZP58t/ob8F6PoThmWPgEA"

    /// 512 MiB of spaces, compressed by gzip three times over.
    private static let thricePacked =
        ""
        + "H4sIAAAAAAACA5Pv5mAAASbmt3d0jVoZRRoevlaXOOhv0OSwlfkoj6vYiWNMaxiTexSimxy2Mxg3yS6IbFDx4Cl+L7Xkfe28"
        + "kk+d6ef2vL5evHjjy5n9xz9/LNhW+HnzzipzeyagmWzv3rxNSsuyyfmz781beZCIc/meHQbWllw18mvfRrEDBXjuPf127dIT"
        + "5wefv6RcswIKJHwI23evXG17w/P77U+ZfwNFGg5Wi/KAaJGDIIdmCII5YmBOBzJnVGZUZoTJ7Px7PuHAi5f/XiX/SfnAXijG"
        + "e7r0GzsDAMzRUcTUAwAA"
}
