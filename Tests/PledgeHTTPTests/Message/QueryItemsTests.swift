import PledgeHTTP
import Testing

@Suite("Query items", .serialized)
struct QueryItemsTests {
    @Test("Every character that a server could misread is percent-encoded")
    func escaping() {
        var items = QueryItems()
        items.add("a", "x+y & z=1#é/?:@,~")

        #expect(items.encoded == "a=x%2By%20%26%20z%3D1%23%C3%A9%2F%3F%3A%40%2C~")
    }

    @Test("Nil values and empty lists are left out")
    func leftOut() {
        var items: QueryItems = ["a": String?.none, "b": Int?.none, "d": [String](), "e": nil]
        items.add("f", [Int]?.none)

        #expect(items.isEmpty)
        #expect(items.encoded.isEmpty)
    }

    @Test("A list is one query item, and the commas in its elements are percent-encoded")
    func lists() {
        #expect(QueryItems([("names", ["steps", "a,b"])]).encoded == "names=steps,a%2Cb")
    }

    @Test("A literal and a list of pairs keep their order, and a name may occur twice")
    func literals() {
        let (author, page): (String, Int?) = ("Le Guin", 2)
        let names = ["b": "1", "a": "2"].sorted { $0.key < $1.key }

        let items: QueryItems = [
            "q": author, "page": page, "size": 2.5, "sold": false, "q": nil, "tag": "x", "tag": "y",
        ]

        #expect(items.encoded == "q=Le%20Guin&page=2&size=2.5&sold=false&tag=x&tag=y")
        #expect(QueryItems([("q", author), ("page", page), ("q", nil)]).encoded == "q=Le%20Guin&page=2")
        #expect(QueryItems(names.map { ($0.key, $0.value) }).encoded == "a=2&b=1")
    }
}
