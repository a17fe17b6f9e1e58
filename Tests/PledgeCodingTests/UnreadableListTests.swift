import Foundation
import PledgeCoding
import Testing

@Suite("Lists with unreadable items")
struct UnreadableListTests {
    private struct Person: Readable, Equatable {
        var name: String
        var friends: [String]

        init(reading source: TapeValue) throws(TapeFailure) {
            var fields = try source.fields()
            name = try fields.required("name").text()
            friends = []
            try fields.present("friends")?.forEach { (_, item) throws(TapeFailure) in
                var fields = try item.fields()
                friends.append(try fields.required("nick").text())
            }
        }
    }

    private struct PlainPerson: Decodable {
        struct Friend: Decodable {
            var nick: String
        }

        var name: String
        var friends: [Friend]?
    }

    private func list<Item: Decodable & Sendable>(_ type: Item.Type, _ json: String) throws -> ItemList<Item> {
        try TapeDecoder.decode(ItemList<Item>.self, from: JSONTape(Data(json.utf8)))
    }

    @Test(
        "Every decoder reports the same reason for an unreadable item",
        arguments: [
            (#"{}"#, "name is missing"), (#"{"name": null}"#, "name is null"), (#"{"name": 7}"#, "name is not String"),
            (#"7"#, "the item is not Dictionary<String, Any>"), (#"null"#, "the item is null"),
            (#""friends""#, "the item is not Dictionary<String, Any>"),
            (#"{"name": "x", "friends": {}}"#, "friends is not Array<Any>"),
            (#"{"name": "x", "friends": [null]}"#, "friends[0] is null"),
            (#"{"name": "x", "friends": [{"nick": "y"}, {}]}"#, "friends[1].nick is missing"),
            (#"{"name": "x", "friends": [{"nick": "y"}, {"nick": [1, 2]}]}"#, "friends[1].nick is not String"),
            (#"{"other": [[1], {"a": 2}], "name": "x", "friends": [{"nick": true}]}"#, "friends[0].nick is not String"),
        ])
    func reasons(json: String, reason: String) throws {
        let text = #"[{"name": "a"}, \#(json), {"name": "b"}]"#
        let own = try list(Person.self, text)
        let plain = try list(PlainPerson.self, text)
        let foundation = try JSONDecoder().decode(ItemList<Person>.self, from: Data(text.utf8))
        #expect(own.items.map(\.name) == ["a", "b"] && plain.items.map(\.name) == ["a", "b"])
        for unreadable in [own.unreadable, plain.unreadable, foundation.unreadable] {
            #expect(unreadable.map(\.description) == ["item 1: \(reason)"])
        }
    }

    @Test("A list with more than ten thousand unreadable items fails as a whole")
    func tooMany() throws {
        func text(_ count: Int) -> String { "[" + Array(repeating: "7", count: count).joined(separator: ",") + "]" }
        #expect(try list(Person.self, text(10_000)).unreadable.count == 10_000)
        #expect(try list(PlainPerson.self, text(10_000)).unreadable.count == 10_000)
        #expect(throws: DecodingError.self) { try list(Person.self, text(10_001)) }
        #expect(throws: DecodingError.self) { try list(PlainPerson.self, text(10_001)) }
    }

    private struct Doubtful: Readable, Equatable {
        var numbers: [Int]

        init(reading source: TapeValue) throws(TapeFailure) {
            var fields = try source.fields()
            let isOdd = fields.flag("is_odd")
            if isOdd == nil { _ = try fields.required("numbers") }
            if isOdd == true { source.remark("it is odd") }
            _ = try fields.present("end")?.int()
            numbers = fields.lenientList("numbers") { (item) throws(TapeFailure) in try item.lenientInt() }
        }
    }

    @Test(
        "If several items are kept with a remark, only the first is reported; unreadable elements inside an item are left out"
    )
    func remarks() throws {
        let text = #"""
            [{"numbers": [1, "2", true, {"a": [3]}, null, 4.0]}, {}, {"is_odd": true, "numbers": 5}, {"is_odd": true},
             {"numbers": null}]
            """#
        let list = try list(Doubtful.self, text)
        #expect(list.items.map(\.numbers) == [[1, 2, 4], [], [], []])
        #expect(list.unreadable.map(\.description) == ["item 2: it is odd", "item 1: numbers is missing"])
        #expect(list.unreadable.map(\.isKept) == [true, false] && list.unreadable.lost == 1)
    }

    @Test("An item that is left out is reported once, without the remark that was made before it turned out unreadable")
    func remarkOfLostItem() throws {
        let list = try list(Doubtful.self, #"[{"is_odd": true, "end": "x"}, {"is_odd": false}]"#)
        #expect(list.items.count == 1)
        #expect(list.unreadable.map { "\($0) \($0.isKept)" } == ["item 0: end is not Int false"])
    }

    @Test("All unreadable items are listed, but only the first hundred have a reason of their own")
    func many() throws {
        let text = "[" + (0..<250).map { $0 % 2 == 0 ? #"{"name": "x"}"# : "7" }.joined(separator: ",") + "]"
        for list in [
            try list(Person.self, text), try JSONDecoder().decode(ItemList<Person>.self, from: Data(text.utf8)),
        ] {
            #expect(list.items.count == 125)
            #expect(list.unreadable.map(\.index) == Array(stride(from: 1, to: 250, by: 2)))
            #expect(list.unreadable[99].reason == "the item is not Dictionary<String, Any>")
            #expect(Set(list.unreadable[100...].map(\.reason)) == ["it is one of more than 100 such items"])
        }
    }
}
