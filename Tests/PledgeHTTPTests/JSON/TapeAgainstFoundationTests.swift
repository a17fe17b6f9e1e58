import Foundation
import PledgeHTTP
import PledgeModels
import PledgeTestSupport
import Testing

@Suite("JSON is read as Foundation reads it", .serialized)
struct TapeAgainstFoundationTests {
    private func ours(_ body: [UInt8]) -> JSONValue? {
        guard let url = URL(string: "https://example.org/") else { return nil }
        return try? JSONReply.decode(JSONValue.self, from: HTTPReply(url: url, status: 200, body: Data(body)))
    }

    private func theirs(_ body: [UInt8]) -> JSONValue? { try? JSONDecoder().decode(JSONValue.self, from: Data(body)) }

    @Test("Whatever is JSON", arguments: 0..<20 as Range<UInt64>)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let text = RandomJSON.text(depth: 4, &generator)
            let body = Array(text.utf8)
            #expect(ours(body) == theirs(body), "\(text)")
            #expect(theirs(body) != nil, "\(text)")
        }
    }

    @Test("Whatever almost is: what is taken, Foundation takes alike", arguments: 0..<20 as Range<UInt64>)
    func damaged(seed: UInt64) {
        var generator = SeededGenerator(seed: 1000 + seed)
        var taken = 0
        for _ in 0..<200 {
            var body = Array(RandomJSON.text(depth: 3, &generator).utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<body.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: body[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: body.remove(at: place)
                case 2: body.insert(RandomJSON.marks.randomElement(using: &generator) ?? 0x22, at: place)
                default: body.removeSubrange(place...)
                }
                if body.isEmpty { body = [0x20] }
            }
            // Foundation also takes a comma behind the last item, and guesses at other encodings.
            guard let value = ours(body) else { continue }
            taken += 1
            #expect(value == theirs(body), "\(String(decoding: body, as: UTF8.self))")
        }
        #expect(taken > 5 && taken < 180)
    }

    @Test("Numbers of every length are the nearest doubles", arguments: 0..<10 as Range<UInt64>)
    func numbers(seed: UInt64) throws {
        var generator = SeededGenerator(seed: 2000 + seed)
        for _ in 0..<300 {
            let digits = (0..<Int.random(in: 1...24, using: &generator)).map { _ in
                String(Int.random(in: 0...9, using: &generator))
            }.joined()
            let power = Int.random(in: -40...40, using: &generator)
            let text = "-1.\(digits)e\(power)"
            guard case .number(let number)? = ours(Array(text.utf8)) else { continue }
            #expect(number == Double(text), "\(text)")
        }
    }
}

/// JSON made at random, with everything in it that is easy to get wrong.
private enum RandomJSON {
    static let marks = Array("{}[]\",:\\u0-+.eE \u{0}tfnd8".utf8)

    static func text(depth: Int, _ generator: inout SeededGenerator) -> String {
        let blank = ["", "", " ", "\n\t"].randomElement(using: &generator) ?? ""
        return blank + value(depth, &generator) + blank
    }

    private static func value(_ depth: Int, _ generator: inout SeededGenerator) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
        case 0: return "null"
        case 1: return ["true", "false"].randomElement(using: &generator) ?? ""
        case 2, 3:
            return [
                "0", "-0", "7", "-12", "4174.0", "7.5", "1e3", "1E+2", "12e-1", "9007199254740993",
                "9223372036854775807", "-9223372036854775808", "9223372036854775808", "0.1", "4.07e-07", "1.7e308",
                "5e-324", "123456789012345678901234567890", "0.30000000000000004", "65.80000305175781", "2e22", "2e23",
            ].randomElement(using: &generator) ?? ""
        case 4, 5: return string(&generator)
        case 6:
            let items = (0..<Int.random(in: 0..<5, using: &generator)).map { _ in text(depth: depth - 1, &generator) }
            return "[\(items.joined(separator: ","))]"
        default:
            // Now and then more names than are looked through one by one, and now and then one of them twice.
            let count = Int.random(in: 0..<20, using: &generator) == 0 ? 50 : Int.random(in: 0..<6, using: &generator)
            let items = (0..<count).map { _ in
                "\(string(&generator)):\(text(depth: depth - 1, &generator))"
            }
            return "{\(items.joined(separator: ","))}"
        }
    }

    private static func string(_ generator: inout SeededGenerator) -> String {
        let pieces = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
            [
                "a", "b", "key", "é", "日記", "😵‍💫", #"\n"#, #"\""#, #"\\"#, #"\/"#, #"\u00e9"#, #"\uD83E\uDEB4"#,
                #"\u0000"#, " ", #"\b\f\r\t"#,
            ].randomElement(using: &generator) ?? ""
        }
        return "\"\(pieces.joined())\""
    }
}
