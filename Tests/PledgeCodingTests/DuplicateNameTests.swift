import Foundation
import PledgeCoding
import Testing

@Suite("Duplicate member names")
struct DuplicateNameTests {
    private struct Point: Readable {
        var x: Int
        var y: Int
        var z: Int?

        init(reading source: TapeValue) throws(TapeFailure) {
            var fields = try source.fields()
            x = try fields.required("x").int()
            y = try fields.required("y").int()
            z = fields.int("z")
        }
    }

    private struct PlainPoint: Decodable {
        var x: Int
        var y: Int
        var z: Int?
    }

    static let documents: [(String, Int, Int, Int?)] = [
        (#"{"x": 1, "y": 2}"#, 1, 2, nil),
        (#"{"x": 1, "x": 9, "y": 2}"#, 1, 2, nil),
        (#"{"y": 2, "x": 1, "y": 9}"#, 1, 2, nil),
        (#"{"x": 1, "y": 2, "x": 9, "y": 9}"#, 1, 2, nil),
        (#"{"z": 3, "y": 2, "x": 1, "x": 9, "y": 9, "z": 9}"#, 1, 2, 3),
        (#"{"z": 3, "x": 1, "y": 2, "z": 9}"#, 1, 2, 3),
        (#"{"\u0078": 1, "x": 9, "y": 2}"#, 1, 2, nil),
        (#"{"x": 1, "\u0078": 9, "\u0079": 2, "y": 9}"#, 1, 2, nil),
        (#"{"z": null, "x": 1, "y": 2, "z": 9}"#, 1, 2, nil),
        (#"{"z": 3, "x": 1, "y": 2, "\u007A": null}"#, 1, 2, 3),
        (#"{"\u007A": null, "x": 1, "y": 2, "z": 9}"#, 1, 2, nil),
        (#"{\#(many), "x": 1, "x": 9, "y": 2, "y": 9}"#, 1, 2, nil),
        (#"{\#(many), "z": null, "x": 1, "\u0078": 9, "y": 2, "\u007A": 9}"#, 1, 2, nil),
    ]

    private static let many = (0..<40).map { #""n\#($0)": 0"# }.joined(separator: ",")

    @Test(
        "If a name occurs twice, readers, Decodable types, and Foundation's decoder all use the first member",
        arguments: documents)
    func first(json: String, x: Int, y: Int, z: Int?) throws {
        let body = Data(json.utf8)
        for point in [
            try TapeDecoder.decode(Point.self, from: JSONTape(body)), try JSONDecoder().decode(Point.self, from: body),
        ] { #expect((point.x, point.y, point.z) == (x, y, z)) }
        let plain = try TapeDecoder.decode(PlainPoint.self, from: JSONTape(body))
        #expect((plain.x, plain.y, plain.z) == (x, y, z))
        let any = try TapeDecoder.decode(JSONValue.self, from: JSONTape(body))
        guard case .object(let members) = any else { throw CancellationError() }
        #expect(members["x"] == .integer(x) && members["y"] == .integer(y))
        // A member whose value is null counts, too.
        #expect(members["z"] == (json.contains("z") ? z.map { .integer($0) } ?? .null : nil))
        #expect(members.count == (json.contains("z") ? 3 : 2) + (json.contains("n0") ? 40 : 0))
        let dictionary = try TapeDecoder.decode([String: Int?].self, from: JSONTape(body))
        #expect(dictionary["x"] == x && dictionary["y"] == y)
    }

    @Test("Member names are compared by their bytes, whether an object has few members or many", arguments: [0, 40])
    func bytes(others: Int) throws {
        struct Accents: Decodable {
            var one: Int
            var two: Int
            private enum CodingKeys: String, CodingKey {
                case one = "caf\u{E9}"
                case two = "cafe\u{301}"
            }
            // This initializer is written by hand, because both keys are equal if they are compared as strings.
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                one = try container.decode(Int.self, forKey: .one)
                two = try container.decode(Int.self, forKey: .two)
            }
        }
        let filling = (0..<others).map { "\"n\($0)\": 0," }.joined()
        let json = "{\(filling)\"cafe\u{301}\": 2, \"caf\u{E9}\": 1}"
        let read = try TapeDecoder.decode(Accents.self, from: JSONTape(Data(json.utf8)))
        #expect(read.one == 1 && read.two == 2)
    }
}
