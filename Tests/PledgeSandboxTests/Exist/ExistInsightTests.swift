import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeSandbox

@Suite("Averages, correlations, and insights in the Exist sandbox", .serialized)
final class ExistInsightTests: ExistSuite {
    /// Returns the values of an attribute by date, as any client can read them.
    private func history(_ name: String) throws -> [String: Double] {
        var values: [String: Double] = [:]
        for page in 1...4 {
            let items = try results("attributes/values/?attribute=\(name)&limit=100&page=\(page)")
            for item in items { values[item["date"].string ?? ""] = item["value"].double }
        }
        return values
    }

    @Test("Averages are the medians of the sixty days before the latest Sunday")
    func averages() throws {
        let average = try results("averages/?attributes=steps")[0]
        #expect(average["user_attribute"] == "steps" && average["date"] == "2024-02-25")
        let steps = try history("steps")
        let sunday = try #require(CalendarDay("2024-02-25"))
        func median(_ days: [CalendarDay]) throws -> Double {
            let sorted = days.compactMap { steps[$0.text] }.sorted()
            try #require(!sorted.isEmpty)
            return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
        }
        let days = (1...60).map { sunday - $0 }
        #expect(try average["overall"].double == median(days))
        for (index, name) in ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"].enumerated()
        {
            #expect(try average[name].double == median((1...9).map { sunday + index - 7 * $0 }.filter(days.contains)))
        }
    }

    @Test("Only attributes with numbers have averages; averages of earlier weeks are included on request")
    func averageLists() throws {
        let names = try results("averages/?limit=100").map { $0["user_attribute"].string }
        #expect(names.count == 36 && !names.contains("guitar") && !names.contains("mood_note"))
        #expect(try results("averages/").count == 20)
        #expect(try results("averages/?groups=sleep").count == 4)
        let weeks = try results("averages/?attributes=sleep&include_historical=1&limit=100").map { $0["date"].string }
        #expect(weeks.prefix(2) == ["2024-02-25", "2024-02-18"] && weeks.count == 43)
        let march = try results(
            "averages/?attributes=sleep&include_historical=true&date_min=2023-12-03&date_max=2023-12-10")
        #expect(march.map { $0["date"] } == ["2023-12-10", "2023-12-03"])
        #expect(try results("averages/?date_min=2024-02-26").isEmpty)
    }

    @Test("Correlations have the values of Pearson's formula, and are sorted from strongest to weakest")
    func correlations() throws {
        let all = try results("correlations/?limit=100")
        let strengths = all.compactMap { $0["value"].double.map(abs) }
        #expect(strengths == strengths.sorted(by: >))
        // Leaves out the numbers, because their last digits depend on the system's math library.
        let words = all.map { item in
            ServerJSON.object((item.object ?? [:]).filter { !["p", "value", "percentage"].contains($0.key) })
        }
        try Outputs.expect(items(words.prefix(20)), in: "correlations without numbers")
        for correlation in all.prefix(3) + all.suffix(2) {
            let first = try history(try #require(correlation["attribute"].string))
            let second = try history(try #require(correlation["attribute2"].string))
            let offset = try #require(correlation["offset"].integer)
            let last = try #require(CalendarDay("2024-02-24"))
            let pairs = (0..<358).compactMap { index -> (Double, Double)? in
                let day = last - index
                guard let one = first[day.text], let other = second[(day + offset).text] else { return nil }
                return (one, other)
            }
            let expected = pearson(pairs)
            #expect(abs((correlation["value"].double ?? 0) - expected) < 1e-9)
            #expect(abs((correlation["percentage"].double ?? 0) - abs(expected) * 100) < 1e-7)
            let t = abs(expected) * ((Double(pairs.count) - 2) / (1 - expected * expected)).squareRoot()
            #expect(abs((correlation["p"].double ?? 0) / erfc(t / 2.0.squareRoot()) - 1) < 1e-6)
        }
    }

    private func pearson(_ pairs: [(Double, Double)]) -> Double {
        let count = Double(pairs.count)
        let meanX = pairs.reduce(0) { $0 + $1.0 } / count
        let meanY = pairs.reduce(0) { $0 + $1.1 } / count
        let xy = pairs.reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) }
        let xx = pairs.reduce(0) { $0 + ($1.0 - meanX) * ($1.0 - meanX) }
        let yy = pairs.reduce(0) { $0 + ($1.1 - meanY) * ($1.1 - meanY) }
        return xy / (xx * yy).squareRoot()
    }

    private func combo(_ attribute: String, _ other: String) throws -> ResponseBytes {
        try get("correlations/combo/?attribute=\(attribute)&attribute2=\(other)")
    }

    @Test("Correlations reflect the relations that were built into the data")
    func meaning() throws {
        let guitar = try combo("guitar", "mood").json
        #expect(guitar["attribute"] == "mood" && guitar["value"].double ?? 0 > 0.2 && guitar["stars"] == 5)
        #expect(guitar["second_person_elements"] == ["you have a better day", "when", "you tag 'guitar' more"])
        #expect(guitar["second_person"] == "you have a better day when you tag 'guitar' more.")
        #expect(guitar["rating"]["rating"] == "Useful")
        #expect(try combo("mood", "sleep").json["value"].double ?? 0 > 0.3)
        #expect(try combo("productive_min", "events").json["value"].double ?? 0 < 0)
        #expect(try combo("heartrate_resting", "alcoholic_drinks").json["offset"] == -1)
        for nothing in ["mood", "nothing"] { #expect(try combo("mood", nothing).status == 404) }
    }

    @Test("Thirty days with both values are enough for a correlation, and fewer are not")
    func fewest() throws {
        sandbox.addAttribute("own")
        let moods = try history("mood").filter { $0.key < "2024-02-25" }.sorted { $0.key > $1.key }
        for (index, mood) in moods.prefix(30).enumerated() {
            sandbox.setValue(.number(mood.value), of: "own", on: mood.key)
            if index >= 28 { #expect(try combo("mood", "own").status == (index == 28 ? 404 : 200)) }
        }
    }

    @Test("Correlations can be filtered by strength, by confidence, and by attribute")
    func narrowing() throws {
        let all = try results("correlations/?limit=100")
        let strong = try results("correlations/?limit=100&strong=1")
        let confident = try results("correlations/?limit=100&confident=true")
        let mood = try results("correlations/?limit=100&attribute=mood")
        #expect(strong.allSatisfy { abs($0["value"].double ?? 0) >= 0.3 } && (1..<all.count).contains(strong.count))
        #expect(confident.allSatisfy { $0["stars"] == 5 && ($0["p"].double ?? 1) < 0.0001 } && !confident.isEmpty)
        #expect(mood.allSatisfy { $0["attribute"] == "mood" || $0["attribute2"] == "mood" } && !mood.isEmpty)
    }

    @Test("Insights are sorted from newest to oldest, and none is later than now")
    func insights() throws {
        let page = try get("insights/?limit=100").json
        let items = page["results"].array ?? []
        #expect(page["count"].integer ?? 0 > 500)
        let created = items.compactMap { $0["created"].string }
        #expect(created == created.sorted(by: >))
        #expect(created.allSatisfy { $0.hasSuffix("+01:00") && $0 < "2024-03-02T12" })
        let best = try #require(items.first { $0["type"]["name"].string?.hasSuffix("best_since_x") ?? false })
        #expect(best["html"].string?.contains(" &amp; counting</div>\r\n<div class=\"num-label\">") == true)
        #expect(best["text"].string?.contains(" & counting\r\n") == true)
        #expect(best["type"]["attribute"]["group"]["name"].string != nil)
        advance(-9 * 3_600)
        #expect(try results("insights/?date_min=2024-03-01").isEmpty)
    }

    @Test("Insights about the best day in a while agree with the data")
    func insightTruth() throws {
        let steps = try history("steps")
        let items = try results("insights/?limit=100&priority=2").filter { $0["type"]["name"] == "steps_best_since_x" }
        #expect(!items.isEmpty)
        for item in items {
            let day = try #require(CalendarDay(item["target_date"].string ?? ""))
            let best = try #require(steps[day.text])
            let numbers = item["text"].string?.split(separator: " ").compactMap { Int($0) }
            let distance = try #require(numbers?.first)
            #expect((1..<distance).allSatisfy { steps[(day - $0).text] ?? 0 < best })
            #expect(steps[(day - distance).text] ?? .infinity >= best)
        }
    }

    @Test("Insights can be filtered by days and by priority")
    func insightFilters() throws {
        let days = try results("insights/?date_min=2024-02-20&date_max=2024-02-22&limit=100")
        #expect(Set(days.map { $0["target_date"] }) == ["2024-02-20", "2024-02-21", "2024-02-22"])
        #expect(try results("insights/?priority=1").map { $0["target_date"] } == ["2024-03-02"])
        let weeks = try results("insights/?priority=3&limit=100")
        #expect(weeks.allSatisfy { $0["target_date"] == .null && $0["type"]["period"] == 7 } && !weeks.isEmpty)
        #expect(try results("insights/?priority=4").first?["type"]["period"] == 29)
    }

    @Test("Averages and correlations change with the data")
    func invalidation() throws {
        let before = try get("averages/?attributes=mood").json
        let correlation = try combo("mood", "guitar").json["value"]
        try post("attributes/acquire/", [["name": "mood"]])
        let days = (0..<35).map { (SandboxSuite.today - 8 - $0).text }
        try post("attributes/update/", .array(days.map { ["name": "mood", "date": .string($0), "value": 1] }))
        #expect(try get("averages/?attributes=mood").json != before)
        #expect(try combo("mood", "guitar").json["value"] != correlation)
        sandbox.changeAttribute("mood", isActive: false)
        #expect(try results("averages/?attributes=mood").isEmpty)
        #expect(try !results("averages/?attributes=steps").isEmpty)
        sandbox.removeAttribute("steps")
        #expect(try results("averages/?attributes=steps").isEmpty)
    }

    @Test("Changes that a test makes can be read at once, and removing an attribute also removes its values")
    func changes() throws {
        func own() throws -> ServerJSON {
            let list = try get("attributes/?attributes=own&include_inactive=1&include_low_priority=1").json["results"]
            #expect(list.count == 0 || list[0]["service"]["name"] == "exist_for_ios" && list[0]["manual"] == true)
            return list[0]
        }
        func values() throws -> [ServerJSON] {
            try results("attributes/values/?attribute=own&date_max=2024-03-01&limit=1").map { $0["value"] }
        }
        sandbox.addAttribute("own", label: "Mine", valueType: 1, isLowPriority: true)
        #expect(try own()["label"] == "Mine" && own()["value_type"] == 1 && own()["priority"] == 10)
        sandbox.setValue(1.5, of: "own", on: "2024-03-01")
        sandbox.changeAttribute("own", label: "Ours")
        #expect(try own()["label"] == "Ours" && own()["active"] == true && values() == [1.5])
        sandbox.changeAttribute("own", isActive: false)
        #expect(try own()["label"] == "Ours" && own()["active"] == false)
        sandbox.removeAttribute("own")
        #expect(try own() == .null)
        sandbox.addAttribute("own")
        #expect(try own()["label"] == "own" && own()["value_type"] == 0 && own()["priority"] == 2)
        #expect(try own()["active"] == true && values() == [.null])

        sandbox.move(to: try #require(TimeZone(secondsFromGMT: -36_000)))
        #expect(try get("accounts/profile/").json["local_time"] == "2024-03-02T01:00:00.000000-10:00")
        // Insights that were created before the move keep the time zone of that time.
        #expect(try results("insights/?limit=1")[0]["created"].string?.hasSuffix("+01:00") == true)
    }
}
