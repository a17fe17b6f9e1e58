import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Query items", .serialized)
struct QueryItemsTests {
    @Test("Every character that a server could misread is percent-encoded, even a comma in an element of a list")
    func escaping() {
        #expect(QueryItems([("a", "x+y & z=1#é/?:@,~")]).encoded == "a=x%2By%20%26%20z%3D1%23%C3%A9%2F%3F%3A%40%2C~")
        #expect(QueryItems([("names", ["steps", "a,b"])]).encoded == "names=steps,a%2Cb")
        #expect(["a": "1"] as QueryItems == ["a": 1] && ["a": "1"] as QueryItems != ["a": "2"])
    }

    private enum Order: String, QueryValue, CustomStringConvertible {
        case newest = "-date"

        var description: String { "the newest first" }
    }

    private enum Size: Int, QueryValue { case large = 3 }

    @Test("Dates are written as ISO 8601 in UTC, and enumerations as their raw values, even in lists")
    func values() {
        let (whole, part) = (Date(timeIntervalSince1970: 1_700_000_000), Date(timeIntervalSince1970: 1_700_000_000.5))
        let items: QueryItems = [
            "after": whole, "before": [part], "rounded": whole - 0.0001, "order": Order.newest, "sizes": [Size.large],
            "none": Order?.none,
        ]
        #expect(
            items.encoded == "after=2023-11-14T22%3A13%3A20Z&before=2023-11-14T22%3A13%3A20.500Z"
                + "&rounded=2023-11-14T22%3A13%3A20Z&order=-date&sizes=3")
    }

    @Test("A query or form with a number or date that isn't finite is refused, and nothing is sent")
    func infinite() async throws {
        let things = try ThingServer()
        let values: [any QueryValue] = [
            Double.nan, Double.infinity, Date(timeIntervalSince1970: .nan), Date.distantPast + -.infinity,
            [1, Double.nan], [Date(timeIntervalSince1970: .infinity)],
        ]
        for value in values {
            for endpoint in [
                Endpoint<Void>(.get, "thing/", query: ["after": value]),
                Endpoint<Void>(.post, "thing/", body: .form(["after": value])),
            ] {
                let error = await things.client().send(endpoint).failure()
                #expect("\(error as Any)".contains("“after” is not finite"))
            }
        }
        #expect(things.server.requests.isEmpty)
        #expect(QueryItems([("a", Date(timeIntervalSince1970: 1e300))]).encoded == "a=9999-12-31T23%3A59%3A59Z")
    }

    @Test(
        "Query items keep their order, a name may occur twice, and nil and empty lists are left out")
    func literals() {
        let (author, page): (String, Int?) = ("Le Guin", 2)
        let names = ["b": "1", "a": "2"].sorted { $0.key < $1.key }
        let items: QueryItems = [
            "q": author, "page": page, "size": 2.5, "sold": false, "q": nil, "tag": "x", "tag": "y", "b": Int?.none,
            "d": [String](), "e": nil,
        ]
        #expect(items.encoded == "q=Le%20Guin&page=2&size=2.5&sold=false&tag=x&tag=y")
        #expect(QueryItems([("q", author), ("page", page), ("q", nil)]).encoded == "q=Le%20Guin&page=2")
        let none = QueryItems([("a", String?.none), ("f", [Int]?.none), ("g", [Int]())])
        #expect(none.isEmpty && none.encoded.isEmpty)
        #expect(QueryItems(names.map { ($0.key, $0.value) }).encoded == "a=2&b=1")
    }
}
