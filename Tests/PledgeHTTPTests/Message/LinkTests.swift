import Foundation
import PledgeHTTP
import Testing

@Suite("Link headers")
struct LinkTests {
    private static let base = "https://api.example/books?page=1"

    @Test(
        "The link of a relation is found in every notation of RFC 8288, and returned as an absolute URL",
        arguments: [
            (#"<https://api.example/books?page=2>; rel="next""#, "https://api.example/books?page=2"),
            ("</books?page=2>;rel=next", "https://api.example/books?page=2"),
            (#"<?page=2>; rel="next""#, "https://api.example/books?page=2"),
            (#"</1>; rel="prev", </3>; rel="next", </9>; rel="last""#, "https://api.example/3"),
            (#"</a,b;c>; rel="last", </3>; rel="next""#, "https://api.example/3"),
            (#"</1>; title="a, b; rel=\"next\" </2>"; rel=prev, </3>; REL="last NEXT""#, "https://api.example/3"),
            (#"</1>; rel="next"; rel="last", </2>; rel="next""#, "https://api.example/1"),
            (#"</1>; rel="last"; rel="next""#, nil), (#"</1>; rel="nextpage""#, nil), ("</1>", nil), ("", nil),
            ("</1; rel=next", nil), (#"</1>; rel="next"; anchor="/other""#, nil),
            (#"</1>; rel = "next" "#, "https://api.example/1"),
            (#"<https://other.example/2>; rel="next""#, "https://other.example/2"),
            (#"</1>; rel="next"#, "https://api.example/1"),
        ])
    func targets(header: String, target: String?) throws {
        let response = RawResponse(
            url: try #require(URL(string: Self.base)), status: 200, headers: ["link": header, "X-A": "</9>; rel=next"])
        #expect(response.link("next") == target)
        #expect(response.link("Next") == target)
    }

    @Test("Links are found in all Link headers of a response, not only in the first")
    func several() throws {
        let headers: HeaderFields = ["Link": "</1>; rel=prev", "LINK": "</3>; rel=next"]
        let response = RawResponse(url: try #require(URL(string: Self.base)), status: 200, headers: headers)
        #expect(response.link("next") == "https://api.example/3" && response.link("last") == nil)
    }
}
