import Foundation
import PledgeCoding
import PledgeTestSupport
import Testing

@Suite("The coding path of an error")
struct PathTests {
    /// Nested objects. The innermost value must be a Bool.
    private struct Nested: Decodable {
        private enum Key: String, CodingKey { case a }

        init(from decoder: any Decoder) throws {
            _ = try? decoder.singleValueContainer().decode([Nested].self)
            if let object = try? decoder.container(keyedBy: Key.self) {
                _ = try object.decode(Nested.self, forKey: .a)
            } else {
                _ = try decoder.singleValueContainer().decode(Bool.self)
            }
        }
    }

    private func path(_ error: (any Error)?) -> [String]? {
        guard case .typeMismatch(_, let context)? = error as? DecodingError else { return nil }
        return context.codingPath.map(\.stringValue)
    }

    @Test("The coding path of an error contains every step, at every depth", arguments: [0, 1, 7, 8, 9, 40, 99])
    func whole(depth: Int) throws {
        let json = String(repeating: #"{"a":"#, count: depth) + #""x""# + String(repeating: "}", count: depth)
        let error = thrown(DecodingError.self) { try TapeDecoder.decode(Nested.self, from: JSONTape(Data(json.utf8))) }
        #expect(path(error) == Array(repeating: "a", count: depth))
    }

    /// Decodes nested lists as deep as possible, and keeps the error from the innermost list.
    private struct Catcher: Decodable {
        var error: (any Error)?

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            if let inner = try? container.decode(Catcher.self) {
                self = inner
            } else {
                do { _ = try container.decode(Bool.self) } catch { self.error = error }
            }
        }
    }

    @Test(
        "If `init(from:)` catches an error, the error's path has a key for each of its last eight steps and one for the rest"
    )
    func inside() throws {
        let json = String(repeating: "[", count: 40) + "7" + String(repeating: "]", count: 40)
        let steps = try #require(path(try TapeDecoder.decode(Catcher.self, from: JSONTape(Data(json.utf8))).error))
        #expect(steps.joined(separator: ".") == Array(repeating: "Index 0", count: 40).joined(separator: "."))
        #expect(steps.count == 9 && steps.last == "Index 0")
    }
}
