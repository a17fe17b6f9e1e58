import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@Suite("Days in any time zone and calendar", .serialized)
struct DayPropertyTests {
    private static let zones = TimeZone.knownTimeZoneIdentifiers.sorted().compactMap { TimeZone(identifier: $0) }
    /// The calendars that a device may use. Its date picker returns the start of a day in one of these calendars.
    private static let calendars: [Calendar.Identifier] = [
        .gregorian, .buddhist, .hebrew, .islamicUmmAlQura, .japanese, .persian, .coptic, .iso8601,
    ]
    /// Time zones with a day of each. On that day, the zone's clocks skip midnight or the whole day, change by half an
    /// hour, or are far from UTC.
    private static let edges = [
        ("America/Santiago", "2024-09-08"), ("Asia/Beirut", "2024-03-31"), ("Africa/Cairo", "2024-04-26"),
        ("America/Havana", "2024-03-10"), ("Australia/Lord_Howe", "2024-10-06"), ("Pacific/Apia", "2011-12-29"),
        ("Pacific/Apia", "2011-12-31"), ("Pacific/Kiritimati", "2024-12-31"), ("Pacific/Niue", "2024-12-31"),
        ("Asia/Kathmandu", "2025-01-01"), ("Europe/Stockholm", "2024-12-31"), ("Europe/Stockholm", "2025-01-01"),
        ("Europe/Stockholm", "2024-03-31"), ("Europe/Stockholm", "2024-10-27"), ("America/New_York", "2020-12-31"),
        ("America/New_York", "2023-12-31"), ("America/New_York", "2024-02-29"), ("America/Sao_Paulo", "2018-11-04"),
    ]

    private func gregorian(in zone: TimeZone) -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        return calendar
    }

    /// Returns the date at a moment, according to Foundation's Gregorian calendar.
    private func civil(_ moment: Date, _ zone: TimeZone) -> String {
        let calendar = gregorian(in: zone)
        let parts = calendar.dateComponents([.year, .month, .day], from: moment)
        let numbers: [(Int, Int)] = [(parts.year ?? 0, 4), (parts.month ?? 0, 2), (parts.day ?? 0, 2)]
        return numbers.map { number, width -> String in
            String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
        }.joined(separator: "-")
    }

    @Test(
        "Any moment within 150 years belongs to the right day and weekday in any time zone and calendar",
        arguments: 0..<8 as Range<UInt64>)
    func moments(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<250 {
            let zone = try #require(Self.zones.randomElement(using: &generator))
            let moment = Date(timeIntervalSince1970: Double.random(in: -631_152_000...4_102_444_800, using: &generator))
            let day = ExistDay(moment, in: zone)
            #expect(day.description == civil(moment, zone), "\(moment) in \(zone)")
            let weekday = gregorian(in: zone).component(.weekday, from: moment)
            #expect(day.weekday == ExistDay.Weekday.allCases[(weekday + 5) % 7], "\(moment) in \(zone)")
            #expect(try decode(ExistDay.self, "\"\(day)\"") == day)
            var device = Calendar(identifier: try #require(Self.calendars.randomElement(using: &generator)))
            device.timeZone = zone
            let picked = device.startOfDay(for: moment)
            #expect(
                IntAttributeUpdate(name: "mood", date: picked, value: 5, in: zone).day == day, "\(device) in \(zone)")
            #expect(ExistDay(day.date(in: zone), in: zone) == day, "\(day) in \(zone)")
            #expect(day.date(in: zone) <= moment, "\(day) in \(zone)")
            #expect(ExistDay(day.date(in: zone).addingTimeInterval(-1), in: zone) < day, "\(day) in \(zone)")
        }
    }

    @Test(
        "Days around each clock change and each new year begin at the right moment in every time zone",
        arguments: [2011, 2024, 2025])
    func edgesOfTheYear(year: Int) throws {
        let newYear = try day("\(year)-01-01")
        #expect([.min, .max].map { newYear.advanced(by: $0).description } == ["0001-01-01", "9999-12-31"])
        for zone in Self.zones {
            var days: Set<ExistDay> = [newYear, newYear.advanced(by: -1)]
            var moment = newYear.date(in: .gmt)
            while let change = zone.nextDaylightSavingTimeTransition(after: moment),
                change < newYear.advanced(by: 365).date(in: .gmt), days.count < 40
            {
                let changed = ExistDay(change, in: zone)
                days.formUnion([changed.advanced(by: -1), changed, changed.advanced(by: 1)])
                moment = change
            }
            for day in days {
                let start = day.date(in: zone)
                // Samoa skipped December 30, 2011, and Kwajalein skipped August 21, 1993. Such a day begins when the
                // next day begins.
                guard ExistDay(start, in: zone) == day else {
                    #expect(civil(start, zone) == day.advanced(by: 1).description, "\(day) in \(zone)")
                    continue
                }
                #expect(civil(start, zone) == day.description, "\(day) in \(zone)")
                #expect(civil(start.addingTimeInterval(-1), zone) < day.description, "\(day) in \(zone)")
            }
        }
    }

    @Test(
        "A value that was sent for a day is read back on the same day, whether random, at new year, or when clocks change"
    )
    func roundTrip() async throws {
        for (zone, text) in Self.edges { try await check(zone, try day(text), hour: 9) }
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<25 {
            let zone = try #require(Self.zones.randomElement(using: &generator))
            let day = try day("2010-01-01").advanced(by: Int.random(in: 0..<9_000, using: &generator))
            try await check(zone.identifier, day, hour: Int.random(in: 0..<24, using: &generator))
        }
    }

    /// Stores a value at a moment of a day, from a device in the user's time zone, and reads that day.
    private func check(_ zone: String, _ day: ExistDay, hour: Int) async throws {
        let timeZone = try #require(TimeZone(identifier: zone))
        let start = day.date(in: timeZone)
        let end = day.advanced(by: 1).date(in: timeZone)
        let moment = min(start.addingTimeInterval(Double(hour) * 3600 + 1799), end.addingTimeInterval(-1))
        let exist = try SandboxCase(zone: zone, now: end.addingTimeInterval(-1))
        _ = try await exist.existAPI.acquire(names: ["mood"]).value
        _ = try await exist.existAPI.update(attributes: [
            IntAttributeUpdate(name: "mood", date: moment, value: 9, in: timeZone)
        ]).value
        let sent = try exist.lastBody
        let asked = ExistDay(moment, in: timeZone)
        let read = try await exist.existAPI.attributes(names: ["mood"], from: asked, through: asked).value.attributes
        let item: [String: JSONValue] = [
            "name": .string("mood"), "date": .string(day.description), "value": .integer(9),
        ]
        #expect(sent == .array([.object(item)]))
        #expect(read.first?.values == [Attribute.DayValue(day: day, value: .integer(9))], "\(day) in \(zone)")
        #expect(ExistDay(try #require(read.first?.values.first).day.date(in: timeZone), in: timeZone) == day)
        #expect(exist.sandbox.server.requests.last?.queryValue("date_max") == day.description)
    }
}
