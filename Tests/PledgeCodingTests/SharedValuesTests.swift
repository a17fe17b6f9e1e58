import Foundation
import PledgeCoding
import PledgeTestSupport
import Testing

@Suite("Texts and objects that occur repeatedly")
struct SharedValuesTests {
    private struct Item: Readable, Encodable, Equatable {
        var text: String
        var texts: [String: String]

        init(text: String, texts: [String: String]) { (self.text, self.texts) = (text, texts) }

        init(reading source: TapeValue) throws(TapeFailure) {
            var fields = try source.fields()
            text = try fields.required("text").text()
            texts = try fields.required("texts").repeatedTexts { (fields) throws(TapeFailure) in
                var texts: [String: String] = [:]
                try fields.forEach { (name, value) throws(TapeFailure) in texts[name] = try value.lenientText() }
                return texts
            }
        }
    }

    @Test("Texts and objects of texts are decoded exactly as they were sent, even if they are similar")
    func alike() {
        Fuzzing.run(cases: 50) { seed, generator in
            func text() -> String {
                let letters = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
                    "aaab\u{E9}\"".randomElement(using: &generator) ?? "a"
                }
                // Half of the texts have the same beginning and the same end.
                let end = Bool.random(using: &generator) ? "" : "12345678"
                return end + String(letters) + end
            }
            let items = (0..<200).map { _ in
                let members = (0..<Int.random(in: 0...2, using: &generator)).map { _ in (text(), text()) }
                return Item(text: text(), texts: Dictionary(members) { first, _ in first })
            }
            let body = try? JSONEncoder().encode(items)
            let list = try? TapeDecoder.decode(ItemList<Item>.self, from: JSONTape(body ?? Data()))
            #expect(list?.items == items, "seed \(seed)")
        }
    }

    @Test("An object that occurs several times is decoded only once")
    func once() throws {
        struct Marked: Readable {
            let marks: [String: String]
            init(reading source: TapeValue) throws(TapeFailure) {
                marks = try source.repeatedTexts { _ in [UUID().uuidString: ""] }
            }
        }
        let json = "[\(Array(repeating: #"{"a": "b", "c": "d"}"#, count: 9).joined(separator: ", "))]"
        let read = try TapeDecoder.decode(ItemList<Marked>.self, from: JSONTape(Data(json.utf8)))
        #expect(read.items.count == 9 && Set(read.items.map(\.marks)).count == 1)
    }

    @Test("An object whose last value is an empty list or object isn't confused with a similar object")
    func empty() throws {
        struct Names: Readable {
            var names: [String: String]
            init(reading source: TapeValue) throws(TapeFailure) {
                names = try source.repeatedTexts { (fields) throws(TapeFailure) in
                    var names: [String: String] = [:]
                    try fields.forEach { (name, value) throws(TapeFailure) in
                        names[name] = "\(value.kind)\(value.count)"
                    }
                    return names
                }
            }
        }
        let json =
            #"[{"a": 1}, {"a": 1, "b": []}, {"a": 1, "c": {}}, {"a": 12}, {"a": 1}, {}, {"a": [1]}, {"a": [1, 1]}]"#
        let read = try TapeDecoder.decode(ItemList<Names>.self, from: JSONTape(Data(json.utf8)))
        #expect(read.items.map { $0.names.keys.sorted().joined() } == ["a", "ab", "ac", "a", "a", "", "a", "a"])
        #expect(read.items.last?.names == ["a": "list2"])
    }
}
