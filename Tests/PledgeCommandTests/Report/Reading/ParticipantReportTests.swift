import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("`pledge report --mydatahelps`", .serialized)
final class ParticipantReportTests: ToolSuite {
    @Test("Without a token, the report shows the week of a sandbox participant and is labeled as a demo")
    func sandbox() async throws {
        // `WholeOutputTests` compares the whole output.
        let run = try await Tool.run("report --mydatahelps", saying: "“pledge login --mydatahelps” shows yours.")
        #expect(run.output.hasPrefix("DEMO: ") && run.output.contains("\nApple Health"))
    }

    @Test("The report has every task that is due, even if the tasks fill several pages")
    func manyTasks() async throws {
        for number in 1...120 {
            sandboxes.participants.putTask(
                number, status: "incomplete", inserted: TestClock.noon, modified: TestClock.noon)
        }
        let report: Report = try await run("report --mydatahelps --json").json()
        #expect(report.lists.first { $0.title == "Tasks due" }?.entries.count ?? 0 >= 120)
    }

    @Test("If a participant's names are empty, `report` shows the identifier, and `profile` prints no name")
    func emptyNames() async throws {
        let participants = sandboxes.participants
        sandboxes.server.script.next(.max, matching: "GET /api/v1/delegated/participant") { request in
            guard request.path.hasSuffix("/participant") else { return nil }
            return .json([
                "participantID": .string(participants.participantID), "participantIdentifier": "P-7",
                "projectID": .string(participants.projectID), "demographics": ["firstName": "", "lastName": ""],
                "customFields": [:],
            ])
        }
        #expect(try await run("report --mydatahelps").output.hasPrefix("P-7 · "))
        #expect(try await !run("profile --mydatahelps --json").output.contains("\"name\""))
    }

    @Test("A measurement from midnight belongs to the day that begins then, also in a report from a database")
    func midnight() async throws {
        let zone = try #require(TimeZone(identifier: "Europe/Stockholm"))
        let today = ExistDay(TestClock.noon, in: zone)
        for (number, days) in [0, -1, -3].enumerated() {
            let date = today.advanced(by: days).date(in: zone)
            sandboxes.participants.putPoint(
                9000 + number, namespace: "AppleHealth", type: "Midnight", value: "\(number + 1)", observed: date,
                modified: date)
        }
        let listed = try await run("device-data Midnight --days 4 --jsonl", zone: zone)
        #expect(listed.output.split(separator: "\n").count == 3, "\(listed.output) \(listed.errors)")
        try await run(["sync", folder.path("a.db")])
        let days = ["report", "--mydatahelps", "--json", "--from", "\(today.advanced(by: -1))"]
        // The days are those of the participant, who is in Stockholm, wherever the tool runs.
        for zone in [zone, try #require(TimeZone(identifier: "America/New_York"))] {
            for more in [[], ["--database", folder.path("a.db")]] {
                let report: Report = try await run(days + more, zone: zone).json()
                let midnight = report.groups.flatMap(\.attributes).first { $0.name == "Midnight" }
                #expect(midnight?.week == [2, 1] && midnight?.summary?.before == 3)
            }
        }
    }

    @Test("Points that both versions of device data have aren't added up, and neither are points in different units")
    func notAddedUp() throws {
        let (day, next) = ("2026-11-20".asDay, "2026-11-19".asDay)
        let span = ParticipantSpan(try ReportSpan(.latest(7), today: day), in: .gmt)
        func point(_ value: String, _ unit: String?, on day: ExistDay) -> ParticipantSpan.Measurement {
            .init(source: "AppleHealth", type: "Steps", value: value, units: unit, day: day)
        }
        let older = [point("6000", nil, on: day), point("500", nil, on: next)]
        let newer = [point("4000", nil, on: day), point("2000", nil, on: day)]
        let joined = ParticipantSpan.joined(older, newer)
        #expect(span.groups(of: joined).first?.attributes.first?.week.suffix(2) == [500, 6000])
        let mixed = span.groups(of: [point("70", "kg", on: day), point("154", "lb", on: day)]).flatMap(\.attributes)
        #expect(mixed.map(\.name) == ["Steps (kg)", "Steps (lb)"] && mixed.compactMap(\.today) == [70, 154])
    }

    @Test(
        "Levels are averaged over the day, and quantities are summed",
        arguments: [
            ("HeartRateVariabilitySDNN", "ms", false), ("Height", "cm", false), ("BodyMassIndex", "count", false),
            ("BloodGlucose", "mg/dL", false), ("RestingHeartRate", "count/min", false), ("VO2Max", "mL/min/kg", false),
            ("Steps", "count", true), ("DistanceWalkingRunning", "m", true), ("SleepMinutes", "min", true),
        ])
    func levels(type: String, unit: String, addsUp: Bool) throws {
        let day = "2026-11-20".asDay
        let span = ParticipantSpan(try ReportSpan(.latest(7), today: day), in: .gmt)
        let noon = day.date(in: .gmt) + 43_200
        func points(_ values: [String]) -> [ParticipantSpan.Measurement] {
            values.map {
                span.measurement(
                    DeviceDataPoint(
                        id: .init($0), namespace: .appleHealth, type: type, value: $0, units: unit,
                        observationDate: noon, insertedDate: noon))
            }
        }
        let attribute = try #require(span.groups(of: points(["40", "nan", "60"])).first?.attributes.first)
        #expect(attribute.today == (addsUp ? 100 : 50) && attribute.soFar == addsUp)
        // A day has no value if its values aren't numbers, or if their sum or mean is too large to show.
        for values in [["1e308", "1.1e308"], ["nan"], ["inf"], ["0x1p3"], ["-1e308", "-1e308"]] {
            #expect(span.groups(of: points(values)).isEmpty, "\(values)")
        }
    }
}
