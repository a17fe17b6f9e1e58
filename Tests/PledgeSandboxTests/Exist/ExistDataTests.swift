import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeSandbox

@Suite("The year of data in the Exist sandbox", .serialized)
struct ExistDataTests {
    private let today = SandboxSuite.today

    @Test("The data of the Exist sandbox is the same on every run")
    func deterministic() throws {
        let first = try #require(CalendarDay("2024-02-29"))
        let days = try (0..<14).map { number in
            let json = try ServerJSON.object(DiaryDay(first + number).values).encoded()
            return "\((first + number).text): \(String(decoding: json, as: UTF8.self))\n"
        }
        try Outputs.expect(days.joined(), in: "diary of 14 days")
    }

    @Test("The data of the Exist sandbox is 365 days long, and every value fits the type of its attribute")
    func fits() throws {
        let records = ExistRecords()
        #expect(records.attributes.count == 44)
        for attribute in records.attributes where attribute.isActive {
            let values = (0..<365).map { records.value(of: attribute, on: today - $0, today: today) }
            let present = values.filter { $0 != .null }
            #expect(present.count > 90, "\(attribute.name) has only \(present.count) values")
            for value in present {
                #expect(throws: Never.self) { try attribute.valueType.accepting(value) }
                if attribute.valueType == .scale { #expect((1...9).contains(value.integer ?? 0)) }
                if attribute.valueType == .percentage { #expect((0...1).contains(value.double ?? -1)) }
                if attribute.valueType == .timeOfDay { #expect((0..<1_440).contains(value.integer ?? -1)) }
            }
            #expect(records.value(of: attribute, on: today - 365, today: today) == .null)
            #expect(records.value(of: attribute, on: today + 1, today: today) == .null)
        }
    }
}
