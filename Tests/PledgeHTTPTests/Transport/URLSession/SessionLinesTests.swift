#if os(Linux)
    import Foundation
    import Testing

    @testable import PledgeHTTP

    @Suite("The proxy that URLSession takes on Linux")
    struct SessionLinesTests {
        @Test(
            "is the one that the environment names for the scheme, unless it names an exception that libcurl knows",
            arguments: [
                ("http://a.example/", "http://plain:1"), ("https://a.example/", "http://secure:2"),
                ("http://b.example/", nil), ("https://b.example/", nil), ("https://c.example/", "http://secure:2"),
            ] as [(String, String?)])
        func rule(url: String, proxy: String?) throws {
            let environment = [
                "http_proxy": "http://plain:1", "HTTPS_PROXY": "http://secure:2", "NO_PROXY": "b.example *.c.example",
            ]
            let url = try #require(URL(string: url))
            let found = try SessionLines.rule(isPlain: url.scheme == "http", in: environment).choice(for: url)
            #expect(found == proxy.flatMap { URL(string: $0) })
        }
    }
#endif
