import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("The path of an endpoint", .serialized)
final class PathTests: ThingSuite {
    /// Sends a request, and returns the path and query that the service received.
    private func target(
        _ endpoint: Endpoint<Void>, _ kind: StandardTransport.Kind = .default
    ) async throws -> String {
        things.respond(.empty(204))
        try await things.client(transport: StandardTransport(kind)).value(of: endpoint).value
        return try #require(things.server.requests.last).target
    }

    static let paths = [
        ("", "/"), ("books/1", "/books/1"), ("a//b", "/a//b"), ("a b", "/a%20b"), ("a+b", "/a+b"), ("é", "/%C3%A9"),
        ("~a.b-c_d/!$&'()*+,;=:@", "/~a.b-c_d/!$&'()*+,;=:@"),
        ("a\\b|c^d`e{f}[g]<h>\"i", "/a%5Cb%7Cc%5Ed%60e%7Bf%7D%5Bg%5D%3Ch%3E%22i"),
        ("a\r\nHost: b", "/a%0D%0AHost:%20b"), ("...", "/..."), (".a/b./..c", "/.a/b./..c"),
        // If all percent signs begin an escape, they are sent unchanged. If none does, they are escaped.
        ("a%2Fb", "/a%2Fb"), ("a%2fb c", "/a%2fb%20c"), ("%C3%A9/é", "/%C3%A9/%C3%A9"), ("%25", "/%25"),
        ("%3F%23", "/%3F%23"), ("%", "/%25"), ("100%", "/100%25"), ("100% of it", "/100%25%20of%20it"),
        ("%zz/%4", "/%25zz/%254"),
    ]

    @Test(
        "Both transports send a path as written, except that characters that a path can't contain are escaped",
        arguments: paths)
    func sent(path: String, sent: String) async throws {
        for kind in StandardTransport.Kind.allCases {
            #expect(try await target(Endpoint(.get, path), kind) == sent)
            #expect(try await target(Endpoint(.get, path, query: ["page": "1/2"]), kind) == "\(sent)?page=1%2F2")
        }
    }

    @Test(
        "A path with a query, a fragment, a stray percent sign, or a dot segment is refused with advice",
        arguments: [
            ("books?shelf=1", "pass a query as “query:”"), ("books?", "pass a query as “query:”"),
            ("tags/#swift", "write the character as %3F or %23"), ("a%2Fb%", "write %25 for the others"),
            ("%%20", "write %25 for the others"), ("50% of%20it", "write %25 for the others"),
            ("..", "a segment “.” or “..”"), ("../a", "a segment “.” or “..”"),
            ("a/./b", "a segment “.” or “..”"), ("%2e%2E/a", "a segment “.” or “..”"),
            ("a/.%2e", "a segment “.” or “..”"),
        ])
    func refused(path: String, advice: String) async throws {
        for query in [[:], ["page": 2]] as [QueryItems] {
            let endpoint = Endpoint<Void>(.delete, path, query: query)
            let error = try #require(await things.client().send(endpoint).failure() as? ExchangeError)
            #expect(error.kind == .invalidArgument && "\(error)".contains(advice))
        }
        #expect(things.server.requests.isEmpty)
    }

    @Test("A path that is a URL of the same origin is requested as written, and shown without its query in errors")
    func link() async throws {
        let base = things.server.baseURL.absoluteString
        for (path, query, sent) in [
            ("\(base)other/?page=2&q=a%20b", [:], "/other/?page=2&q=a%20b"), ("\(base)a%2Fb", [:], "/a%2Fb"),
            (base.replacingOccurrences(of: "http:", with: "HTTP:"), [:], "/"),
            ("\(base)other/", ["page": 3], "/other/?page=3"),
        ] as [(String, QueryItems, String)] {
            #expect(try await target(Endpoint(.get, path, query: query)) == sent)
        }
        things.respond(.empty(404))
        let endpoint = Endpoint<Void>(.get, "\(base)other/?page=2")
        let error = await things.client().send(endpoint).failure() as? ExchangeError
        #expect(error?.context.url == "\(base)other/" && "\(endpoint)" == "GET \(base)other/")
        let both = await things.client().send(Endpoint<Void>(.get, "\(base)?page=2", query: ["page": 3])).failure()
        #expect("\(both as Any)".contains("to which “query:” cannot add anything"))
    }

    @Test(
        "A path that is a URL of another origin is refused, and nothing is sent",
        arguments: [
            "https://127.0.0.1:PORT/", "http://localhost:PORT/", "http://127.0.0.1:1/", "http://127.0.0.1/",
            "http://ann@127.0.0.1:PORT/", "http://127.0.0.1:PORT@evil.example/", "http://evil.example/",
            "http://127.0.0.1:PORT.evil.example/", "http://", "https:///evil.example",
        ])
    func elsewhere(path: String) async throws {
        let path = path.replacingOccurrences(of: "PORT", with: "\(things.server.baseURL.port ?? 0)")
        let held = Recorder<URL>()
        let client = things.client(.bearer("t0k3n")) { $0.adapt = { held.append($0.url) } }
        let error = try #require(await client.send(Endpoint<Void>(.get, path)).failure() as? ExchangeError)
        #expect(error.kind == .invalidArgument && held.all.isEmpty && things.server.requests.isEmpty)
    }
}
