import ExistKit
import Foundation
import PledgeCoding
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("Plans for reading values")
struct ValueRequestPlanTests {
    private static let today = ExistDay(Date.friday, in: .gmt)

    /// Answers a plan's requests as the service would. `begins` says how many days ago each attribute begins, and
    /// `isValue` on which days there are values.
    private func run(
        _ plan: ValueRequestPlan, begins: [String: Int], interruptAfter limit: Int = .max,
        isValue: (ExistDay) -> Bool = { _ in true }
    ) throws -> (ValueRequestPlan, [ValueRequestPlan.Request]) {
        var (plan, requests) = (plan, [ValueRequestPlan.Request]())
        while requests.count < limit, let request = plan.next() {
            requests.append(request)
            switch request {
            case .page(let name, let last):
                let begin = Self.today.advanced(by: -(begins[name] ?? 0))
                let last = min(last ?? Self.today, Self.today)
                let count = max(0, begin.distance(to: last) + 1)
                let days = (0..<min(count, 100)).map { last.advanced(by: -$0) }
                try plan.record(
                    name, through: request.through, days: days, values: days.count(where: isValue), count: count,
                    hasMore: count > 100)
            case .window(let first, let last):
                plan.record(
                    first, through: last, names: Set(begins.keys.map { ExactText($0) }),
                    hasValues: begins.values.contains { begin in
                        let start = max(first, Self.today.advanced(by: -begin))
                        return start <= last && (start...last).contains(where: isValue)
                    })
            }
            try #require(requests.count < 5000)
        }
        return (plan, requests)
    }

    private func new(_ count: Int, isListed: Bool = true) -> [ValueProgress] {
        (0..<count).map { ValueProgress(name: "a\($0)", isListed: isListed, isActive: true) }
    }

    @Test("A day in the future is not used as a bookmark, even if it was stored as one")
    func future() throws {
        let far = Self.today.advanced(by: 9_999)
        var plan = ValueRequestPlan(
            [
                ValueProgress(name: "new", isListed: false, isActive: true),
                ValueProgress(name: "old", isListed: false, isActive: true, newest: far, oldest: far, isComplete: true),
            ], today: Self.today, overlap: 14)
        #expect(plan.attributes[1].newest == Self.today.advanced(by: 1))
        #expect(plan.attributes[1].cursor == Self.today.advanced(by: -14))
        try plan.record("new", through: nil, days: [far], values: 1, count: 1, hasMore: false)
        #expect(plan.attributes[0].newest == Self.today.advanced(by: 1))
    }

    @Test(
        "If the user's current day moves back, the next run reads the whole overlap before that earlier day",
        arguments: [true, false])
    func movedBack(isListed: Bool) throws {
        // The values were stored in a time zone in the east. The next run is in the west, where it is still the day
        // before.
        var attribute = ValueProgress(name: "a0", isListed: isListed, isActive: true)
        (attribute.newest, attribute.oldest, attribute.isComplete) = (Self.today, Self.today.advanced(by: -30), true)
        let west = Self.today.advanced(by: -1)
        let (end, _) = try run(ValueRequestPlan([attribute], today: west, overlap: 14), begins: ["a0": 30])
        let next = ValueRequestPlan(end.attributes, today: Self.today, overlap: 14)
        #expect(next.attributes[0].cursor == west.advanced(by: -14))
    }

    @Test(
        "Reading ten years takes one request for each attribute, and 115 more for all attributes together",
        arguments: [50, 400])
    func tenYears(count: Int) throws {
        let plan = ValueRequestPlan(new(count), today: Self.today, overlap: 14)
        let begins = Dictionary(uniqueKeysWithValues: (0..<count).map { ("a\($0)", 3649) })
        let (end, requests) = try run(plan, begins: begins)
        #expect(requests.count == count + (3650 - 100 + 30) / 31)
        #expect(end.attributes.allSatisfy { $0.isComplete })
        #expect(end.attributes.allSatisfy { $0.oldest ?? Self.today <= Self.today.advanced(by: -3649) })
    }

    @Test(
        "A plan reaches back at most half a century, even if the service reports an absurd count",
        arguments: [Int.min, -1, Int.max])
    func hostileCount(count: Int) throws {
        var plan = ValueRequestPlan(new(1), today: Self.today, overlap: 14)
        _ = plan.next()
        try plan.record("a0", through: nil, days: [Self.today], values: 1, count: count, hasMore: true)
        let begin = plan.attributes[0].begins ?? Self.today
        #expect(begin.distance(to: Self.today) == (count == .max ? 18_262 : 0))
        #expect(plan.estimate < 700)
    }

    @Test("If a service's count is far too large, a plan requests only half a year of empty windows")
    func emptyWindows() throws {
        var plan = ValueRequestPlan(new(50), today: Self.today, overlap: 14)
        var requests = 0
        while let request = plan.next(), requests < 1_000 {
            requests += 1
            switch request {
            case .page(let name, let last):
                let days = last == nil ? (0..<100).map { Self.today.advanced(by: -$0) } : []
                try plan.record(
                    name, through: last, days: days, values: days.count, count: 9_999_999_999, hasMore: true)
            case .window(let first, let last):
                let names = Set(plan.attributes.map { ExactText($0.name) })
                plan.record(first, through: last, names: names, hasValues: false)
            }
        }
        #expect(requests == 50 + ValueRequestPlan.mostEmpty + 50 && plan.attributes.allSatisfy { $0.isComplete })
        // If a page would include days that were already read, the plan requests a page that ends before these days.
        let (oldest, begins) = (Self.today.advanced(by: -50), Self.today.advanced(by: -100))
        let known = ValueProgress(
            name: "a0", isListed: true, isActive: true, newest: Self.today, oldest: oldest, begins: begins)
        plan = ValueRequestPlan([known], today: Self.today, overlap: 0)
        for _ in 0..<ValueRequestPlan.mostEmpty {
            plan.record(Self.today, through: Self.today, names: [ExactText("a0")], hasValues: false)
        }
        #expect(plan.next() == .page("a0", through: oldest.advanced(by: -1)))
    }

    @Test("A pause of years is skipped if the service's count shows that there are values before it")
    func longPause() throws {
        let begin = Self.today.advanced(by: -3_649)
        let begins = Dictionary(uniqueKeysWithValues: (0..<50).map { ("a\($0)", 3_649) })
        let (plan, requests) = try run(ValueRequestPlan(new(50), today: Self.today, overlap: 14), begins: begins) {
            !(200..<3_649).contains($0.distance(to: Self.today))
        }
        var (windows, doubts) = (0, Set<ExistDay>())
        for request in requests {
            switch request {
            case .page(_, let last): last.map { _ = doubts.insert($0) }
            case .window: windows += 1
            }
        }
        // Besides the windows, the plan requests only one older page of an attribute. According to the service's count,
        // this page begins with the attribute's first day.
        #expect(windows == (3_650 - 100 + 30) / 31 && doubts == [begin.advanced(by: 99)])
        #expect(plan.attributes.allSatisfy { $0.isComplete && $0.oldest ?? Self.today <= begin })
    }

    @Test("A few attributes are read one by one, because that takes fewer requests than reading all of them by month")
    func few() throws {
        let (_, requests) = try run(
            ValueRequestPlan(new(3), today: Self.today, overlap: 14), begins: ["a0": 3649, "a1": 3649, "a2": 50])
        #expect(requests.count == 3 + 2 * 36)
    }

    @Test("The next run takes one request for all listed attributes, and one for each unlisted attribute")
    func incremental() throws {
        var known = new(50) + [ValueProgress(name: "low", isListed: false, isActive: true)]
        for index in known.indices {
            known[index].newest = Self.today.advanced(by: -3)
            known[index].oldest = Self.today.advanced(by: -400)
            known[index].isComplete = true
        }
        let plan = ValueRequestPlan(known, today: Self.today, overlap: 14)
        #expect(plan.estimate == 2)
        #expect(ValueRequestPlan(known.suffix(1), today: Self.today, overlap: 14).estimate == 1)
        let (end, requests) = try run(plan, begins: ["low": 400].merging((0..<50).map { ("a\($0)", 400) }) { $1 })
        #expect(
            requests == [.window(Self.today.advanced(by: -17), through: Self.today), .page("low", through: nil)])
        #expect(end.attributes.allSatisfy { $0.newest == Self.today })
    }

    @Test("After months without a sync, adjoining windows cover all days from the overlap through today")
    func pause() throws {
        var known = new(1)
        (known[0].newest, known[0].oldest) = (Self.today.advanced(by: -100), Self.today.advanced(by: -400))
        known[0].isComplete = true
        let (_, requests) = try run(ValueRequestPlan(known, today: Self.today, overlap: 14), begins: ["a0": 400])
        #expect(
            requests
                == [(114, 84), (83, 53), (52, 22), (21, 0)].map {
                    .window(Self.today.advanced(by: -$0), through: Self.today.advanced(by: -$1))
                })
        // If a page may reach today, the plan requests the latest page.
        for (days, last) in [83: nil, 84: Self.today.advanced(by: -1)] {
            (known[0].isListed, known[0].newest) = (false, Self.today.advanced(by: -days))
            #expect(ValueRequestPlan(known, today: Self.today, overlap: 14).next() == .page("a0", through: last))
        }
    }

    @Test("An inactive attribute is read for as long as its past values may be corrected, and not after that")
    func inactive() throws {
        var known = new(1, isListed: false)
        (known[0].isActive, known[0].isComplete) = (false, true)
        (known[0].newest, known[0].oldest) = (Self.today.advanced(by: -3), Self.today.advanced(by: -9))
        var (end, requests) = try run(ValueRequestPlan(known, today: Self.today, overlap: 14), begins: ["a0": 9])
        #expect(requests == [.page("a0", through: nil)])
        #expect(end.attributes[0].inactive == Self.today)
        for day in 1...14 {
            let plan = ValueRequestPlan(end.attributes, today: Self.today.advanced(by: day), overlap: 14)
            (end, requests) = try run(plan, begins: ["a0": 9])
            #expect(requests == [.page("a0", through: nil)], "\(day)")
        }
        #expect(ValueRequestPlan(end.attributes, today: Self.today.advanced(by: 15), overlap: 14).next() == nil)
        (known[0].newest, known[0].inactive) = (nil, Self.today)
        #expect((0...14).filter { !known[0].isHidden(on: Self.today.advanced(by: $0), overlap: 14) } == [0, 7, 14])
    }

    @Test(
        "A page that names a next page but leads no further back than the page before is an error",
        arguments: [[], [today]])
    func stuck(days: [ExistDay]) throws {
        var plan = ValueRequestPlan(new(2), today: Self.today, overlap: 14)
        try plan.record("a0", through: nil, days: days, values: days.count, count: 9_000_000, hasMore: true)
        let before = Self.today.advanced(by: -1)
        #expect(throws: (any Error).self) {
            try plan.record("a0", through: before, days: days, values: days.count, count: 9_000_000, hasMore: true)
        }
        #expect(plan.attributes[0].isComplete == false)
    }

    @Test("With random counts, next pages, and days from a service, each response advances the plan, and the plan ends")
    func anyResponses() throws {
        try Fuzzing.run(cases: 300) { seed, random in
            let counts = [.min, -5, 0, 1, 100, 101, 5_000, .max]
            let isHonest = Bool.random(using: &random)
            func day(_ random: inout SeededGenerator) -> ExistDay {
                Self.today.advanced(by: Int.random(in: -4_000...9, using: &random))
            }
            let begins = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                Int.random(in: 0...2_000, using: &random)
            }
            var plan = ValueRequestPlan(
                begins.indices.map { index in
                    var progress = ValueProgress(
                        name: "a\(index)", isListed: Bool.random(using: &random), isActive: true)
                    if Int.random(in: 0..<4, using: &random) == 0 {
                        progress.newest = day(&random)
                        progress.oldest = Bool.random(using: &random) ? progress.newest : day(&random)
                        progress.begins = Bool.random(using: &random) ? progress.oldest : nil
                    }
                    return progress
                }, today: Self.today, overlap: 14)
            var requests = 0
            while let request = plan.next() {
                requests += 1
                try #require(requests < 5_000, "endless, seed \(seed)")
                var count = counts.randomElement(using: &random) ?? 0
                switch request {
                case .page(let name, let last):
                    var days = (0..<Int.random(in: 0...5, using: &random)).map { _ in day(&random) }.sorted(by: >)
                    var hasMore = Bool.random(using: &random)
                    if isHonest, let index = Int(name.dropFirst()) {
                        let last = min(last ?? Self.today, Self.today)
                        let left = max(0, Self.today.advanced(by: -begins[index]).distance(to: last) + 1)
                        days = (0..<min(left, 100)).map { last.advanced(by: -$0) }
                        hasMore = left > 100
                        // If the count doesn't contradict `hasMore`, the plan relies on the count. So the test replaces
                        // such a count with the right one.
                        if count == 101 || count == 5_000 { count = left }
                    }
                    do {
                        try plan.record(
                            name, through: last, days: days, values: days.count, count: count, hasMore: hasMore)
                    } catch {
                        #expect(!isHonest, "\(error), seed \(seed)")
                        _ = plan.skip(name, serviceFailed: false)
                    }
                case .window(let first, let last):
                    #expect(first <= last, "seed \(seed)")
                    let names = begins.indices.map { ExactText("a\($0)") }
                    let hasValues = begins.contains { last >= Self.today.advanced(by: -$0) }
                    plan.record(
                        first, through: last,
                        names: Set(isHonest ? names : names.filter { _ in Bool.random(using: &random) }),
                        hasValues: isHonest ? hasValues : Bool.random(using: &random))
                }
                try #require(plan.next() != request, "stuck, seed \(seed)")
            }
            guard isHonest else { return }
            for attribute in plan.attributes {
                let begin = Self.today.advanced(by: -begins[Int(attribute.name.dropFirst()) ?? 0])
                #expect(attribute.isComplete && attribute.oldest ?? Self.today <= begin, "seed \(seed)")
            }
        }
    }

    @Test(
        "After interruptions, a plan that continues from the saved progress requests only what is still missing",
        arguments: 1...40)
    func interrupted(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let begins = Dictionary(
            uniqueKeysWithValues: (0..<Int.random(in: 1...12, using: &random)).map {
                ("a\($0)", Int.random(in: 0...900, using: &random))
            })
        var attributes = begins.keys.sorted().map { name in
            ValueProgress(name: name, isListed: Bool.random(using: &random), isActive: true)
        }
        let (_, undisturbed) = try run(ValueRequestPlan(attributes, today: Self.today, overlap: 14), begins: begins)
        var asked: [ValueRequestPlan.Request] = []
        for _ in 0..<6 {
            let plan = ValueRequestPlan(attributes, today: Self.today, overlap: 14)
            let (end, requests) = try run(plan, begins: begins, interruptAfter: Int.random(in: 0...9, using: &random))
            (attributes, asked) = (end.attributes, asked + requests)
            for attribute in attributes where attribute.isComplete {
                let begin = Self.today.advanced(by: -(begins[attribute.name] ?? 0))
                #expect((attribute.oldest ?? Self.today) <= begin)
            }
            for index in attributes.indices { attributes[index].cursor = nil }
        }
        let (end, requests) = try run(ValueRequestPlan(attributes, today: Self.today, overlap: 14), begins: begins)
        #expect(end.attributes.allSatisfy { $0.isComplete && $0.newest == Self.today })
        asked += requests
        for request in undisturbed { asked.firstIndex(of: request).map { _ = asked.remove(at: $0) } }
        // Each plan begins with the newest days: one request for all listed attributes, and one for each unlisted
        // attribute.
        asked.removeAll { request in
            switch request {
            case .window(let first, let last): first >= Self.today.advanced(by: -14) && last == Self.today
            case .page(let name, let last):
                last == nil && attributes.contains { ExactText($0.name) == ExactText(name) && !$0.isListed }
            }
        }
        #expect(asked.isEmpty, "requested twice: \(asked)")
    }
}

extension ValueRequestPlan.Request {
    fileprivate var through: ExistDay? {
        switch self {
        case .page(_, let last): last
        case .window(_, let last): last
        }
    }
}
