import Foundation
import PledgeCoding
import PledgeTestSupport
import Testing

@Suite("Timestamps")
struct TimestampTests {
    private func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }

    @Test("A timestamp in any form is read as the moment and offset that it states, and written dates are read back")
    func fields() {
        Fuzzing.run(cases: 3000) { seed, generator in
            func pick(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }
            // A Date that is far from 1970 is not precise to the microsecond.
            let days = seed % 2 == 0 ? -719_161...2_932_895 : -20_000...20_000
            let (day, hour, minute) = (pick(days), pick(0...23), pick(0...59))
            let second = pick(0...5) == 0 ? nil : pick(0...60)
            let fraction = (0..<pick(0...9)).map { _ in String(pick(0...9)) }.joined()
            let (hours, minutes, isWest) = (pick(0...23), pick(0...59), pick(0...1) == 0)
            let form = pick(0...5)
            let offset =
                form == 0 ? nil : form == 1 ? 0 : (hours * 60 + (form == 2 ? 0 : minutes)) * (isWest ? -60 : 60)
            var text = DayNumber.text(day) + (["T", "t", " "].randomElement(using: &generator) ?? "")
            text += "\(two(hour)):\(two(minute))" + (second.map { ":\(two($0))" } ?? "")
            text += fraction.isEmpty ? "" : (pick(0...1) == 0 ? "." : ",") + fraction
            let sign = isWest ? "-" : "+"
            text +=
                ["", pick(0...1) == 0 ? "Z" : "z", sign + two(hours), sign + two(hours) + two(minutes)].dropFirst(form)
                .first
                ?? "\(sign)\(two(hours)):\(two(minutes))"
            let whole = day * 86_400 + hour * 3600 + minute * 60 + (second ?? 0) - (offset ?? 0)

            let found = Timestamp.parse(text)
            let seconds = Double(whole) + (Double("0.\(fraction)") ?? 0)
            #expect(
                found?.offset == offset && found?.date == Date(timeIntervalSince1970: seconds), "seed \(seed): \(text)")
            for digits in seed % 2 == 0 ? [0] : [0, 3, 6] {
                let (part, unit) = (pick(1...999), digits == 3 ? 1000 : 1_000_000)
                let date = Date(timeIntervalSince1970: Double(whole) + (digits == 0 ? 0 : Double(part) / Double(unit)))
                let written =
                    digits == 0 ? "" : "." + String(repeating: "0", count: digits - "\(part)".count) + "\(part)"
                let moment = "\(DayNumber.text(Int((Double(whole) / 86_400).rounded(.down))))T"
                let clock = ((whole % 86_400) + 86_400) % 86_400
                let utc =
                    moment + [clock / 3600, clock / 60 % 60, clock % 60].map(two).joined(separator: ":") + written
                #expect(Timestamp.text(date, digits: digits) == utc + "Z", "seed \(seed)")
                let local = Timestamp.text(date, offset: offset ?? 0)
                #expect(local.contains(written + (offset ?? 0 == 0 ? "Z" : sign)), "seed \(seed): \(local)")
                let back = Timestamp.parse(local)
                #expect(back?.offset == offset ?? 0 && abs(back?.date.timeIntervalSince(date) ?? 1) < 1e-6, "\(local)")
            }
        }
    }

    @Test("Text with a wrong field, too few fields, or too many is not read as a timestamp")
    func none() throws {
        let text = "2024-02-29T23:59:60.123456789+23:59"
        #expect(Timestamp.parse(text) != nil && Timestamp.parse("2024-02-29T23:59") != nil)
        for index in text.indices {
            #expect(Timestamp.parse(text.replacingCharacters(in: index...index, with: "x")) == nil, "\(text[..<index])")
        }
        for (right, wrong) in [
            ("29T", "30T"), ("T23", "T24"), (":59:", ":60:"), (":60", ":61"), (".123456789", "."), ("789", "7890"),
            ("+23", "+24"), ("+23:59", "+23:60"), ("+23:59", "+23:5"), ("+23:59", "+2"), ("+23:59", "+"),
            ("+23:59", "Zx"), ("789", "78:"), ("+23", "+0:"),
            ("59:60.123456789+23:59", ""), ("T23:59:60.123456789+23:59", ""), ("T23:59:60.123456789+23:59", "T"),
        ] {
            #expect(Timestamp.parse(text.replacing(right, with: wrong)) == nil, "\(wrong) for \(right)")
        }
        let tape = try JSONTape(Data(#"["\u0031970-01-01T00:00:07Z", "soon", 7]"#.utf8))
        let read = Recorder<Double?>()
        try tape.withValue { (list) throws(TapeFailure) in
            try list.forEach { read.append(try? $1.parsed("") { Timestamp.parse($0)?.date }.timeIntervalSince1970) }
        }
        #expect(read.all == [7, nil, nil])
        #expect("2024-02-29T23:59:59".withBytes { Timestamp.parse($0, needsOffset: true) } == nil)
        #expect("2024-02-29T23:59:59Z".withBytes { Timestamp.parse($0, needsOffset: true) } != nil)
    }

    @Test("A date beyond the years 1 to 9999, or one that isn't a number, is written as the nearest moment in range")
    func ends() {
        let (first, last) = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z")
        for (seconds, text) in [
            (-.infinity, first), (.nan, first), (-62_135_596_801, first), (-62_135_596_800, first),
            (-62_135_596_799, "0001-01-01T00:00:01Z"), (253_402_300_798, "9999-12-31T23:59:58Z"),
            (253_402_300_799, last), (253_402_300_800, last), (.infinity, last),
        ] as [(Double, String)] {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(Timestamp.text(date) == text && Timestamp.text(date, offset: 0) == text, "\(seconds)")
        }
        let texts = [0.999_999, 0.999_999_7].map { Timestamp.text(Date(timeIntervalSince1970: $0), offset: 0) }
        #expect(texts == ["1970-01-01T00:00:00.999999Z", "1970-01-01T00:00:01Z"])
        #expect(Timestamp.text(Date(timeIntervalSince1970: 0.9996), digits: 3) == "1970-01-01T00:00:01.000Z")
        #expect(Timestamp.text(Date(timeIntervalSince1970: -0.25), digits: 2) == "1969-12-31T23:59:59.75Z")
        #expect(Timestamp.text(Date(timeIntervalSince1970: 0.25), digits: 1) == "1970-01-01T00:00:00.3Z")
    }
}
