import PledgeHTTP
import Testing

@Suite("Query items", .serialized)
struct QueryItemsTests {
    @Test("Everything a server could misread is escaped")
    func escaping() {
        var items = QueryItems()
        items.add("a", "x+y & z=1#é/?:@,~")

        #expect(items.encoded == "a=x%2By%20%26%20z%3D1%23%C3%A9%2F%3F%3A%40%2C~")
    }

    @Test("What is nil, off or empty is left out")
    func leftOut() {
        var items = QueryItems()
        items.add("a", String?.none)
        items.add("b", Int?.none)
        items.add("c", false, as: "1")
        items.add("d", list: [])
        items.add("e", list: nil)

        #expect(items.isEmpty)
        #expect(items.encoded.isEmpty)
    }

    @Test("A list is one item, whose own commas are escaped")
    func lists() {
        var items = QueryItems()
        items.add("names", list: ["steps", "a,b"])
        items.add("on", true, as: "1")
        items.add("page", 2)

        #expect(items.encoded == "names=steps,a%2Cb&on=1&page=2")
    }
}
