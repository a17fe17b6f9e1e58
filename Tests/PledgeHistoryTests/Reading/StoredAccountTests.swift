import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("Accounts read from a history", .timeLimit(.minutes(60)))
struct StoredAccountTests {
    private let scratch: TemporaryFolder
    private let history: History

    init() throws {
        scratch = try TemporaryFolder()
        history = try History(scratch.path("a.db"))
    }

    @Test("An Exist account is read back as the models that were synced")
    func exist() async throws {
        let bench = try ExistBench(zone: try #require(TimeZone(identifier: "Asia/Tokyo")))
        try await bench.sync(history)
        let stored = try #require(try StoredAccount.all(of: "exist", in: history).first)
        let existAPI = ExistAPI(token: bench.sandbox.token, baseURL: bench.sandbox.baseURL)

        let user = try await existAPI.user().value.user
        #expect(stored.user.username == user.username && stored.user.timeZone == user.timeZone)
        #expect(stored.user.utcOffset == 9 * 3600 && stored.ownName == user.username)
        #expect(stored.day == ExistDay("2026-11-20") && stored.synced == HandClock.friday)

        let (first, last) = (try #require(ExistDay("2026-11-01")), try #require(ExistDay("2026-11-20")))
        let asked = try await existAPI.attributes(days: 20, from: first, through: last).value.attributes
        var read = try stored.attributes(from: first, through: last)
        #expect(Set(read.map(\.name)) == Set(asked.map(\.name)) && read.count == asked.count)
        for attribute in asked {
            let index = try #require(read.firstIndex { $0.name == attribute.name })
            #expect(
                // SQLite has no negative zero.
                Set(read[index].values.map { "\($0.day) \($0.value?.description ?? "")" })
                    == Set(
                        attribute.values.compactMap { entry in
                            entry.value.map { "\(entry.day) \($0 == .decimal(0) ? .decimal(0) : $0)" }
                        }))
            #expect(read[index].unit == attribute.unit)
            // The rest is unchanged, but the services that could own the attribute are not stored.
            (read[index].values, read[index].availableServices) = (attribute.values, attribute.availableServices)
            read[index].serviceInfo?.label = attribute.serviceInfo?.label ?? ""
            #expect(read[index] == attribute)
        }

        let averages = try await existAPI.averages().value.averages
        #expect(
            try stored.averages().sorted { $0.attribute < $1.attribute }.elementsEqual(
                averages.sorted { $0.attribute < $1.attribute }))
        let sentences = try await existAPI.correlations(strong: true).value.correlations.map { $0.secondPerson ?? "" }
        #expect(try Set(stored.correlations().map { $0.secondPerson ?? "" }) == Set(sentences))
        let insights = try await existAPI.all(.insights(from: first, through: last)).value.items
        #expect(
            try Set(stored.insights(from: first, through: last).map { "\($0.created) \($0.type.name) \($0.text)" })
                == Set(insights.map { "\($0.created) \($0.type.name) \($0.text)" }))
    }

    @Test("A moment is stored with its offset, so that the hour in the person's time zone is known")
    func offsets() async throws {
        try await ExistBench(zone: try #require(TimeZone(identifier: "Asia/Tokyo"))).sync(history)
        try await ParticipantBench().sync(history)
        // Insights are written between five and half past six in the morning.
        let hours = try history.query(
            """
            SELECT DISTINCT created_offset, strftime('%H', created, created_offset || ' seconds') FROM insight
            WHERE created LIKE '2026-11-1%' ORDER BY 2
            """
        ).rows
        #expect(hours == [[32_400, "05"], [32_400, "06"]])
        let observed = try history.query(
            "SELECT count(*), count(observed_offset), max(observed_offset) FROM device_data_point WHERE observed NOTNULL"
        ).rows[0]
        #expect(observed[0] == observed[1] && observed[2] == 3600)
        for (table, moment) in [
            ("device_data_point", "started"), ("survey_task", "started"), ("survey_task", "ended"),
            ("survey_task", "due"), ("survey_answer", "answered"),
        ] {
            let apart = try history.query(
                "SELECT count(*) FROM \(table) WHERE (\(moment) IS NULL) <> (\(moment)_offset IS NULL)"
            ).rows
            #expect(apart == [[0]], "\(table).\(moment)")
        }
    }

    @Test(
        "A measurement is read back as it was sent, and is a number to SQL",
        arguments: [
            ("7.50", "real", true), ("7.5", "real", false), ("0.12345678901234567890", "real", true),
            ("12345678901234567890", "text", false), ("72", "integer", false), ("0072", "text", false),
        ])
    func digits(value: String, type: String, keepsText: Bool) async throws {
        let bench = try ParticipantBench(isEmpty: true)
        bench.sandbox.putPoint(
            1, namespace: "Fitbit", type: "Weight", value: value, observed: bench.clock.now, modified: bench.clock.now)
        try await bench.sync(history)
        #expect(
            try history.query("SELECT typeof(value), value_text FROM device_data_point").rows == [
                [.text(type), SQLValue(keepsText ? value : nil)]
            ])
        let stored = try #require(try StoredAccount.all(of: "mydatahelps", in: history).first)
        let points = try stored.deviceData(of: [.fitbit], after: .distantPast, before: .distantFuture)
        #expect(points.map(\.value) == [value])
        #expect(try await bench.sync(history).changes == ChangeCount())
    }

    @Test("An attribute that is inactive, removed, or of low priority is not listed, just as in the service")
    func unlisted() throws {
        try history.write { database in
            try database.run("INSERT INTO account (id, service, name) VALUES (1, 'exist', 'maya')")
            for (name, priority, active, removed) in [
                ("a", 1, 1, nil), ("b", 10, 1, nil), ("c", 1, 0, nil), ("d", 1, 1, "2026-11-20"), ("e", 9, nil, nil),
            ] as [(String, Int, Int?, String?)] {
                _ = try database.put(
                    [
                        [
                            1, .text(name), "A", "g", "G", 1, .integer(priority), nil, 0, nil, nil, nil, 0,
                            SQLValue(active),
                        ]
                    ], into: "attribute")
                try database.run("UPDATE attribute SET removed = ? WHERE name = ?", [SQLValue(removed), .text(name)])
            }
        }
        let stored = try #require(try StoredAccount.all(of: "exist", in: history).first)
        let (first, last) = (try #require(ExistDay("2026-11-01")), try #require(ExistDay("2026-11-20")))
        #expect(try stored.attributes(from: first, through: last).map(\.name) == ["a", "e"])
        // Neither has been read yet.
        #expect(try stored.unfinished(since: first) == 2)
        try history.write { database in
            try database.put(
                [("a", SyncState(oldest: "2026-10-31")), ("e", SyncState(isComplete: true))], of: "value", account: 1)
        }
        #expect(try stored.unfinished(since: first) == 0)
    }
}
