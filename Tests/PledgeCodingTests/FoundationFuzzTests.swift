import Foundation
import PledgeCoding
import PledgeTestSupport
import Testing

/// `PLEDGE_FUZZ_SEED` sets the seed of the first case.
@Suite("Random JSON, decoded by the package and by Foundation", .serialized)
struct FoundationFuzzTests {
    private func ours<Value: Decodable>(_ body: [UInt8], as type: Value.Type = JSONValue.self) -> Value? {
        try? TapeDecoder.decode(type, from: JSONTape(Data(body)))
    }

    private func theirs<Value: Decodable>(_ body: [UInt8], as type: Value.Type = JSONValue.self) -> Value? {
        try? JSONDecoder().decode(type, from: Data(body))
    }

    /// Whether Foundation stops the process if a name has an unpaired surrogate, instead of rejecting the name.
    private static var stopsAtNames: Bool {
        #if canImport(Darwin)
            if #available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, *) { false } else { true }
        #elseif compiler(>=6.1)
            false
        #else
            true
        #endif
    }

    @Test("Valid random JSON decodes to the same values as with Foundation")
    func random() {
        Fuzzing.run(cases: 1000) { seed, generator in
            let text = RandomJSON.text(depth: 4, &generator)
            let body = Array(text.utf8)
            #expect(ours(body) == theirs(body), "seed \(seed): \(text)")
            #expect(theirs(body) != nil, "seed \(seed): \(text)")
        }
    }

    @Test("If damaged JSON still decodes, Foundation decodes it to the same value")
    func damaged() {
        var (taken, cases) = (0, 0)
        Fuzzing.run(cases: 4000) { seed, generator in
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
            cases += 1
            // Skips input that only Foundation accepts: it allows a comma after the last item, and guesses other encodings.
            guard let value = ours(body) else { return }
            taken += 1
            let text = String(decoding: body, as: UTF8.self)
            // Removes escaped backslashes, because what follows them is text and not an escape.
            let unpaired = text.replacing(#"\\"#, with: "")
                .replacing(#/\\u[dD][89abAB]..\\u[dD][c-fC-F]../#, with: "")
            // Foundation may reject an unpaired surrogate. This package reads it as a replacement character.
            if unpaired.contains(#/\\u[dD][89a-fA-F]/#), Self.stopsAtNames || theirs(body) == nil { return }
            #expect(value == theirs(body), "seed \(seed): \(text)")
        }
        #expect(taken > cases / 40 && taken < cases * 9 / 10)
    }

    private struct Own: Decodable, Equatable {
        enum Word: String, Decodable { case a, b, key }

        var a: Int?
        var b: [Double]?
        var key: Word?
    }

    @Test("Decodable types get the same values and reject the same input as with Foundation")
    func types() {
        var (taken, cases) = (0, 0)
        Fuzzing.run(cases: 1000) { seed, generator in
            cases += 1
            let text = RandomJSON.text(depth: 3, &generator)
            let body = Array(text.utf8)
            func check<Value: Decodable & Equatable>(_ type: Value.Type) {
                let (ours, theirs) = (ours(body, as: type), theirs(body, as: type))
                #expect(ours == theirs, "seed \(seed): \(type) of \(text)")
                if ours != nil { taken += 1 }
            }
            check([Int].self)
            check([Double?].self)
            check([Bool].self)
            check([String].self)
            check([UInt8].self)
            check([[String]].self)
            check([String: JSONValue].self)
            // If a name is repeated in a dictionary, only its first value counts. Older versions of Foundation also
            // check the second value, and reject the dictionary if that value has the wrong type.
            #if compiler(>=6.3) && !canImport(Darwin)
                check([String: Double?].self)
            #endif
            check(Own.self)
            check([Own].self)
        }
        #expect(taken > cases / 30)
    }

    /// A model that reads a number with its own initializer, like the models of the kits.
    private struct Number: Decodable, Readable {
        var number: Double

        init(reading source: TapeValue) throws(TapeFailure) { number = try source.double() }
    }

    @Test("Numbers of every length decode to the double that strtod returns, with every way of decoding")
    func numbers() throws {
        var numbers: [(text: String, value: Double)] = []
        func check() throws {
            let body = Array("[\(numbers.map(\.text).joined(separator: ","))]".utf8)
            let plain = try #require(ours(body, as: [Double].self))
            let models = try #require(ours(body, as: [Number].self))
            guard case .array(let values) = try #require(ours(body)) else { throw CancellationError() }
            for (index, (text, value)) in numbers.enumerated() {
                var shown = [plain[index], models[index].number]
                switch values[index] {
                case .number(let number): shown.append(number)
                // An integer has all its digits, so it is rounded to a double here.
                case .integer(let number): shown.append(Double(number))
                case .decimal(let number): shown.append(strtod("\(number)", nil))
                default: shown.append(.nan)
                }
                if shown.contains(where: { $0 != value || $0.sign != value.sign && value != 0 }) {
                    Issue.record("\(text) was read as \(shown), not as \(value)")
                }
            }
            numbers = []
        }
        for text in ["1.8446744073709551616", "18446744073709551616", "0.018446744073709551616e-3", "0", "-0.0"] {
            numbers.append((text, strtod(text, nil)))
        }
        try Fuzzing.run(cases: 10_000) { _, generator in
            let text = RandomJSON.number(&generator)
            let value = strtod(text, nil)
            if value.isFinite, value != 0 { numbers.append((text, value)) }
            if numbers.count >= 1000 { try check() }
        }
        try check()
    }
}
