import Foundation
import PledgeCoding
import PledgeTestSupport
import Testing

@Suite("Decoding any type")
struct TapeDecoderTests {
    private func read<Value: Decodable>(
        _ type: Value.Type = Value.self, _ json: String, _ style: JSONTape.Style = .plain
    ) throws -> Value {
        try TapeDecoder.decode(type, from: JSONTape(Data(json.utf8), style: style))
    }

    /// A type that reads by every method of a decoder, and logs the values that it gets.
    private struct Reader: Decodable {
        struct Key: CodingKey, ExpressibleByStringLiteral {
            var stringValue: String
            var intValue: Int?
            init(stringLiteral name: String) { stringValue = name }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
        }

        var log: [String] = []

        init(from decoder: any Decoder) throws {
            let object = try decoder.container(keyedBy: Key.self)
            func add(_ value: Any) { log.append("\(value)") }
            func place(_ path: [any CodingKey]) { add(path.map(\.stringValue)) }
            add(object.allKeys.map(\.stringValue).sorted())
            for key in ["number", "nothing", "missing"] as [Key] {
                add(object.contains(key))
                add((try? object.decodeNil(forKey: key)) as Any)
                add(try object.decodeIfPresent(Int.self, forKey: key) as Any)
                add(try object.decodeIfPresent(Double.self, forKey: key) as Any)
                add(try object.decodeIfPresent(Float.self, forKey: key) as Any)
                add((try? object.decodeIfPresent(String.self, forKey: key)) as Any)
                add((try? object.decodeIfPresent(Bool.self, forKey: key)) as Any)
                add(try object.superDecoder(forKey: key).singleValueContainer().decodeNil())
                add((try? object.superDecoder(forKey: key).singleValueContainer().decode(Int.self)) as Any)
            }
            let inner = try object.nestedContainer(keyedBy: Key.self, forKey: "object")
            add(try inner.decode(String.self, forKey: "text"))
            add(try inner.superDecoder().singleValueContainer().decode(Int.self))
            place(inner.codingPath)
            add(try object.decode(URL.self, forKey: "address"))
            add(try object.decode(Data.self, forKey: "bytes").count)
            add(try object.decode(Decimal.self, forKey: "price"))
            add(try object.decode(Date.self, forKey: "moment").timeIntervalSinceReferenceDate)
            add(try object.decode([Int: String].self, forKey: "names")[2] as Any)
            var list = try object.nestedUnkeyedContainer(forKey: "list")
            add(try list.decodeNil())
            add(try list.decode(UInt8.self))
            add(try list.nestedContainer(keyedBy: Key.self).decode(Bool.self, forKey: "flag"))
            var nested = try list.nestedUnkeyedContainer()
            while !nested.isAtEnd {
                add("\(try nested.decode(Int.self)) \(nested.currentIndex) of \(nested.count ?? 0)")
            }
            add(try list.superDecoder().singleValueContainer().decode(String.self))
            add(try list.decodeNil())
            place(list.codingPath)
            add("\(list.isAtEnd) \(list.currentIndex) \((try? list.decodeNil()) ?? false)")
            do { _ = try list.decode(Int.self) } catch DecodingError.valueNotFound(_, let context) {
                place(context.codingPath)
            }
        }
    }

    @Test("A type that uses every method of a decoder gets the same values as from Foundation's decoder")
    func everyMethod() throws {
        let json = """
            {"number": 7, "nothing": null, "list": [200, {"flag": true}, [1, 2], "b", null],
             "object": {"text": "a", "super": 9}, "address": "https://example.org/a?b=%20", "bytes": "AQID",
             "price": 0.1, "moment": 12.5, "names": {"1": "one", "2": "two"}}
            """
        let log = try read(Reader.self, json).log
        #expect(try log == JSONDecoder().decode(Reader.self, from: Data(json.utf8)).log)
        #expect(log.last == #"["list", "Index 5"]"# && log.contains("0.1") && log.contains("12.5"))
    }

    private struct Week: Decodable {
        struct Day: Decodable {
            var stepCount: Int
            var date: Date?
            var address: URL?
            var bytes: Data?
        }

        var days: [Day]
    }

    private static let long = String(repeating: "x", count: 5_000)
    private static let many = (100..<1_000).map { #""\#($0)": 0"# }.joined(separator: ", ")
    /// The names that an error message lists. A message lists names until they have at least 120 characters, including their
    /// separators. Without the last of these names, there are only 119 characters, so the message also lists the last one.
    private static let named = (100..<118).map { "“\($0)”" }.joined(separator: ", ")

    private static let few = (1_000..<1_016).map { #""\#($0)": 0"# }.joined(separator: ", ")
    /// The first fifteen of these names. With their separators, they have 120 characters, so an error message lists no further
    /// name.
    private static let fifteen = (1_000..<1_015).map { "“\($0)”" }.joined(separator: ", ")

    // These rows are not written inside the attribute, because the compiler of Swift 6.0 fails if a text there is interpolated.
    private static let misfitting: [(String, String, String)] = [
        (#"{"days": [{"step_count": 1}, {"step_count": "kq"}]}"#, "days[1].step_count", "it is text instead of Int"),
        (#"{"days": [{"step_count": null}]}"#, "days[0].step_count", "it is null instead of Int"),
        (#"{"days": [{"step_count": true}]}"#, "days[0].step_count", "it is a truth value instead of Int"),
        (#"{"days": [{"step_count": 7.5}]}"#, "days[0].step_count", "it is a number that Int cannot hold"),
        (#"{"days": [{"step_count": 1, "date": "kqzx"}]}"#, "days[0].date", "it is not a date"),
        (#"{"days": [{"step_count": 1, "address": ""}]}"#, "days[0].address", "it is not a URL"),
        (#"{"days": [{"step_count": 1, "bytes": "%"}]}"#, "days[0].bytes", "it is not Base64 data"),
        (#"{"days": [{}]}"#, "days[0]", "step_count is missing, as the object is empty"),
        (#"{"days": [{"steps": 2}]}"#, "days[0]", "step_count is missing, only “steps” was found"),
        (#"{"days": [{"a": [], "b": 2}]}"#, "days[0]", "step_count is missing, only “a” and “b” were found"),
        (#"{"days": [{"\#(long)": 0}]}"#, "days[0]", "step_count is missing, only “\(long.prefix(40))…” was found"),
        (
            #"{"days": [{"\#(long.prefix(40))": 0}]}"#, "days[0]",
            "step_count is missing, only “\(long.prefix(40))” was found"
        ),
        (#"{"days": [{\#(many)}]}"#, "days[0]", "step_count is missing, only \(named) and 882 more were found"),
        (#"{"days": [{\#(few)}]}"#, "days[0]", "step_count is missing, only \(fifteen) and 1 more were found"),
        (#"{"days": [[]]}"#, "days[0]", "it is a list instead of Dictionary<String, Any>"),
        (#"{"days": 7}"#, "days", "it is a number instead of Array<Any>"),
        (#"{"days": {}}"#, "days", "it is an object instead of Array<Any>"),
        (#"[]"#, "", "it is a list instead of Dictionary<String, Any>"),
    ]

    @Test(
        "The error for a wrong value names the place, the expected type, and what was found, but not the value",
        arguments: misfitting)
    func misfits(json: String, path: String, words: String) throws {
        func check<Value: Decodable>(_ type: Value.Type, _ json: String, _ path: String) throws {
            let error = try #require(thrown(DecodingError.self) { try read(type, json, .snakeCase) })
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                #expect(pathText(context.codingPath) == path && context.debugDescription == words)
            @unknown default: Issue.record("\(error)")
            }
        }
        try check(Week.self, json, path)
        // Tests the error again inside nine lists. The path of an error has separate keys only for its last eight steps, and a
        // single key for all steps before them.
        let (lists, steps) = (String(repeating: "[", count: 9), String(repeating: "[0]", count: 9))
        let isTop = path.isEmpty
        try check(
            [[[[[[[[[Week]]]]]]]]].self, lists + json + String(repeating: "]", count: 9),
            steps + (isTop ? "" : ".") + path)
    }

    @Test("A container's allKeys are the type's keys that occur in the object, spelled in the decoder's naming style")
    func keys() throws {
        struct Names: Decodable {
            enum CodingKeys: CodingKey { case firstName }
            var found: [String]
            init(from decoder: any Decoder) throws {
                found = try decoder.container(keyedBy: CodingKeys.self).allKeys.map(\.stringValue)
            }
        }
        for (style, names) in [(.plain, []), (.snakeCase, ["firstName"])] as [(JSONTape.Style, [String])] {
            #expect(try read(Names.self, #"{"first_name": 1, "other": 2}"#, style).found == names)
        }
    }

    private indirect enum Tree: Decodable, Sendable {
        case leaf
        case node([Tree])

        init(from decoder: any Decoder) throws {
            self = .node(try decoder.singleValueContainer().decode([Tree].self))
        }
    }

    @Test("The deepest allowed nesting can be decoded on the stack of any thread, also into an app's own type")
    func smallStack() async {
        let json = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        // This stack is as large as the stacks of Dispatch's threads.
        let (value, tree) = await SmallStack.run(bytes: 512 << 10) {
            (try? read(JSONValue.self, json), try? read(Tree.self, json))
        }
        #expect(value != nil && tree != nil)
    }

    @Test("A type's own error is passed on unchanged")
    func ownError() {
        struct Odd: Decodable, Error {
            init(from decoder: any Decoder) throws { throw Fault.one }
        }
        #expect(throws: Fault.one) { try read([Odd].self, "[0]") }
    }
}
