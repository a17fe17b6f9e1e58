import Foundation
import Testing

@testable import PledgeServer

@Suite("Reading requests", .serialized)
struct RequestReaderTests {
    @Test("A request is parsed the same way no matter into what pieces its bytes are split")
    func anyCut() throws {
        let text =
            "POST /a/?q=1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "4;note=1\r\nWiki\r\n5\r\npedia\r\n0\r\nTrailer: t\r\n\r\nGET /b/ HTTP/1.1\r\nHost: x\r\n\r\n"
        for size in [1, 2, 3, 7, 1_000] {
            let requests = try parse(text, pieces: size)
            #expect(requests.map(\.target) == ["/a/?q=1", "/b/"])
            #expect(requests.first?.body == Data("Wikipedia".utf8))
        }
    }

    @Test("A parsed request has the method, target, body, and headers as they were sent, in order and unchanged")
    func asSent() throws {
        let line = "PATCH /%C3%A9%2F?a=b+c&d=%2B&d=2&e HTTP/1.1\r\n"
        let text = line + "hOST:x\r\nX-A: 1\r\nx-a:  2 \r\nContent-Length: 9\r\n\r\na=1&a=2=b"
        let request = try #require(try parse(text).first)
        #expect(request.method == "PATCH" && request.path == "/é/")
        #expect(request.query == "a=b+c&d=%2B&d=2&e" && request.queryValue("a") == "b c")
        #expect(request.queryItems.map(\.value) == ["b c", "+", "2", ""])
        #expect(request.queryValue("d") == "2")
        #expect(try parse("GET /?=a&b= HTTP/1.0\r\n\r\n").first?.queryItems.map(\.name) == ["", "b"])
        #expect(request.headers.fields.map(\.name) == ["hOST", "X-A", "x-a", "Content-Length"])
        #expect(request.headers.values(of: "X-a") == ["1", "2"] && request.headers["x-A"] == "1")
        #expect(request.body == Data("a=1&a=2=b".utf8) && request.formValue("a") == "2=b")
    }

    @Test("Bare line feeds, and blank lines before a request, are accepted")
    func leniently() throws { #expect(try parse("\r\n\r\nGET / HTTP/1.0\n\n").map(\.version) == ["HTTP/1.0"]) }

    @Test(
        "Only an HTTP/1.1 client that waits for permission is told to send the body",
        arguments: [("1.1", "Expect", 1), ("1.0", "Expect", 0), ("1.1", "X", 0)])
    func permitted(version: String, field: String, expected: Int) throws {
        let head = "POST / HTTP/\(version)\r\nHost: x\r\n\(field): 100-continue\r\nContent-Length: 1\r\n\r\n"
        var permits = 0
        #expect(try parse(head + "k", pieces: head.utf8.count) { permits += 1 }.count == 1 && permits == expected)
    }

    @Test(
        "The target of a request may be a whole URL, and the fragment of a target is ignored",
        arguments: [
            ("/a!b?c?d", "/a!b", "c?d"), ("/a#b", "/a", nil), ("/a?b#c?d", "/a", "b"), ("/", "/", nil), ("*", "*", nil),
            ("http://h", "/", nil), ("https://h:1/a%20b?c", "/a b", "c"), ("/to/http://h/a", "/to/http://h/a", nil),
        ] as [(String, String, String?)])
    func targets(target: String, path: String, query: String?) throws {
        let request = try #require(try parse("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n").first)
        #expect(request.path == path && request.query == query)
    }

    /// Returns a request whose lines have this many bytes, with their line breaks, but without the empty line at the end.
    private func request(ofBytes count: Int) -> String {
        let start = "GET / HTTP/1.1\r\nHost: x\r\nX: "
        return start + String(repeating: "x", count: count - 2 - start.utf8.count) + "\r\n\r\n"
    }

    @Test("The header and the body of a request have exact limits; the size lines of chunks count toward neither")
    func limits() throws {
        let most = request(ofBytes: 65_535)
        #expect(try parse(most + most).count == 2)
        #expect { try parse(request(ofBytes: 65_536)) } throws: { ($0 as? ServerResponse)?.status == 431 }
        let head = "POST / HTTP/1.1\r\nHost: x\r\n"
        let whole = String(repeating: "a", count: RequestReader.bodyLimit)
        #expect(try parse(head + "Content-Length: \(whole.utf8.count)\r\n\r\n\(whole)").first?.body.count == 16 << 20)
        let chunked = head + "Transfer-Encoding: chunked\r\n\r\n"
        #expect(try parse(chunked + "1000000\r\n\(whole)\r\n0\r\n\r\n").first?.body.count == 16 << 20)
        let chunks = String(repeating: "1\r\na\r\n", count: 20_000)
        let trailer = "X: " + String(repeating: "x", count: 65_527)
        #expect(try parse(chunked + chunks + "0\r\n\(trailer)\r\n\r\n").map(\.body.count) == [20_000])
    }

    @Test("A malformed request is rejected with the right status", arguments: malformedTexts)
    func malformed(text: String, status: Int) {
        #expect { try parse(text) } throws: { ($0 as? ServerResponse)?.status == status }
    }

    private static let head = "GET / HTTP/1.1\r\nHost: x\r\n"
    private static let chunks = head + "Transfer-Encoding: chunked\r\n\r\n"

    private static let malformedTexts: [(String, Int)] =
        [
            ("GET /\r\n\r\n", 400), ("GET  / HTTP/1.0\r\n\r\n", 400), ("G@T / HTTP/1.0\r\n\r\n", 400),
            ("GET nowhere HTTP/1.0\r\n\r\n", 400), ("GET / HTTP/2.0\r\n\r\n", 505), ("\u{16}\u{3}\u{1}\r\n", 400),
            ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\rY: z\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\0y\r\n\r\n", 400), ("GET /\rY HTTP/1.1\r\nHost: x\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\u{7F}\r\n\r\n", 400),
            ("GET /\u{7F} HTTP/1.1\r\nHost: x\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 70_000))", 431),
        ]
        + [
            ("Host: b\r\n\r\n", 400), (" folded\r\n\r\n", 400), ("\rY: z\r\n\r\n", 400),
            ("Content-Length: -1\r\n\r\n", 400), ("Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            ("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400), ("Content-Length: \r\n\r\n", 400),
            ("Transfer-Encoding: gzip\r\n\r\n", 501), ("Content-Length: 99999999999999999999\r\n\r\n", 413),
            ("Content-Length: 16777217\r\n\r\n", 413), ("Content-Length: 1:\r\n\r\n", 400),
            ("Content-Length: 1/\r\n\r\n", 400),
        ].map { (head + $0, $1) }
        + [("zz\r\n", 400), ("1\r\nab\r\n", 400), ("ffffffffffffffffff\r\n", 413), ("1\r\na\r\n1000000\r\n", 413)]
        .map { (chunks + $0, $1) }

    private func parse(_ text: String, pieces: Int = .max, asks: @escaping () -> Void = {}) throws -> [ServerRequest] {
        var (rest, hasEnded) = (Array(text.utf8)[...], false)
        var reader = RequestReader(
            connection: 1,
            receive: {
                precondition(!hasEnded, "reads beyond the end")
                hasEnded = rest.isEmpty
                defer { rest = rest.dropFirst(pieces) }
                return Array(rest.prefix(pieces))
            }, permitBody: asks)
        var requests: [ServerRequest] = []
        while true {
            do { requests.append(try reader.next()) } catch is RequestReader.ConnectionEnded { return requests }
        }
    }
}
