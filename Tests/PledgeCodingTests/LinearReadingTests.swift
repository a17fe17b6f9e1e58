#if DEBUG
    import Foundation
    import PledgeCoding
    import Testing

    /// The cost is the number of inspected tokens. Unlike a time, that number doesn't depend on the load of the machine.
    @Suite("The cost of decoding")
    struct LinearReadingTests {
        /// A caller's own type that tries one type after another to find out what a value is.
        private enum Tried: Decodable {
            case flag, whole, decimal, text, list([Tried]), object([String: Tried]), nothing

            init(from decoder: any Decoder) throws {
                // Tries to decode a missing member of an object, and an element behind the end of a list.
                _ = try? decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .missing)
                var list = try? decoder.unkeyedContainer()
                if list?.isAtEnd == true { _ = try? list?.decode(Int.self) }
                let container = try decoder.singleValueContainer()
                if (try? container.decode(Bool.self)) != nil {
                    self = .flag
                } else if (try? container.decode(String.self)) != nil {
                    self = .text
                } else if let object = try? container.decode([String: Tried].self) {
                    self = .object(object)
                } else if (try? container.decode(Int.self)) != nil {
                    self = .whole
                } else if (try? container.decode(Double.self)) != nil {
                    self = .decimal
                } else if let list = try? container.decode([Tried].self) {
                    self = .list(list)
                } else {
                    self = .nothing
                }
            }
        }

        private enum Key: CodingKey { case missing }

        enum Shape: String, CaseIterable {
            case flat, deepLists, deepObjects, deepEnds, names, repeatedNames

            func text(_ count: Int) -> String {
                let zeros = "[" + Array(repeating: "0", count: count).joined(separator: ",") + "]"
                switch self {
                case .flat: return zeros
                case .deepLists: return String(repeating: "[", count: 89) + zeros + String(repeating: "]", count: 89)
                case .deepObjects:
                    return String(repeating: #"{"a":"#, count: 89) + zeros + String(repeating: "}", count: 89)
                case .deepEnds:
                    return String(repeating: "[", count: 89)
                        + Array(repeating: "{},[]", count: count / 2).joined(separator: ",")
                        + String(repeating: "]", count: 89)
                // Each object has the same name twice, and the next object under the first one.
                case .repeatedNames:
                    let depth = count / 25
                    return String(repeating: #"{"a":"#, count: depth) + "0"
                        + String(repeating: #","a":0}"#, count: depth)
                case .names: return "{" + (0..<count).map { "\"name \($0)\":0" }.joined(separator: ",") + "}"
                }
            }
        }

        private func looks<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Int {
            var looks = 0
            try withUnsafeMutablePointer(to: &looks) { looks in
                let tape = try JSONTape(Data(json.utf8), countingIn: looks)
                _ = try? TapeDecoder.decode(type, from: tape)
            }
            return looks
        }

        @Test(
            "The cost of decoding is proportional to the size of the JSON, for every shape and type",
            arguments: Shape.allCases)
        func shapes(shape: Shape) throws {
            for read in [
                { try looks(JSONValue.self, $0) }, { try looks(Tried.self, $0) }, { try looks([[Bool]].self, $0) },
                { try looks([String: String].self, $0) },
            ] as [(String) throws -> Int] {
                let (small, large) = (shape.text(250), shape.text(500))
                let (few, many) = (try read(small), try read(large))
                #expect(many <= 32 * large.utf8.count, "\(many) looks at \(large.utf8.count) bytes")
                #expect(many <= few * 5 / 2 + 500, "\(few) looks became \(many)")
            }
        }

        @Test("Type mismatches ninety lists deep cost at most three times as much as mismatches near the top")
        func mismatches() throws {
            let flat = try looks(Tried.self, Shape.flat.text(2000))
            let deep = try looks(Tried.self, Shape.deepLists.text(2000))
            #expect(deep <= 3 * flat, "\(deep) looks, \(flat) where it is flat")
        }
    }
#endif
