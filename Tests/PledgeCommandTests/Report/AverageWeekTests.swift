import ExistKit
import Foundation
import Testing

@testable import PledgeCommand

@Suite("Averages computed from stored values")
struct AverageWeekTests {
    private let sunday = ExistDay("2026-11-22") ?? ExistDay(Date())

    private func steps(_ type: ValueType, _ values: [Int: AttributeValue]) -> ExistKit.Attribute {
        ExistKit.Attribute(
            name: "steps", group: AttributeGroup(name: "activity"), valueType: type,
            values: values.map { .init(day: sunday.advanced(by: -$0.key), value: $0.value) })
    }

    @Test("date from a Sunday, and are valid from then on")
    func days() {
        #expect(Average.dayMade(for: sunday) == sunday)
        #expect(Average.dayMade(for: sunday.advanced(by: 6)) == sunday)
        #expect(Average.dayMade(for: sunday.advanced(by: -1)) == sunday.advanced(by: -7))
    }

    @Test("are the medians of the sixty days before, overall and for each weekday")
    func medians() throws {
        let values: [Int: AttributeValue] = [
            0: .integer(999), 1: .integer(4), 8: .integer(10), 60: .decimal(1.5), 61: .integer(999),
        ]
        let average = try #require(Average(of: steps(.int, values), on: sunday))
        #expect(average.day == sunday && average.overall == 4)
        #expect(average.saturday == 7 && average.monday == nil)
        #expect(average[sunday.advanced(by: -60).weekday] == 1.5)
    }

    @Test("exist only for numbers, and only if there are any")
    func none() {
        #expect(Average(of: steps(.string, [1: .text("rain")]), on: sunday) == nil)
        // Exist has no averages of tags either.
        #expect(Average(of: steps(.boolean, [1: .integer(1)]), on: sunday) == nil)
        #expect(Average(of: steps(.int, [:]), on: sunday) == nil)
        #expect(Average(of: steps(.int, [0: .integer(1)]), on: sunday) == nil)
        #expect(Average(of: steps(.float, [1: .decimal(.nan)]), on: sunday) == nil)
    }
}
