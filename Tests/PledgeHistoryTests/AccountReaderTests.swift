import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("Accounts read from a history")
struct AccountReaderTests {
    private let (scratch, history): (TemporaryFolder, History)
    init() throws { (scratch, history) = try History.new() }

    /// Compares two lists item by item, after sorting both by a text that identifies each item.
    private func expect<Item: Equatable>(_ read: [Item], are synced: [Item], by id: (Item) -> String) {
        #expect(read.count == synced.count && !synced.isEmpty, "\(Item.self)")
        let pairs = zip(read.sorted { id($0) < id($1) }, synced.sorted { id($0) < id($1) })
        if let (read, synced) = pairs.first(where: { $0 != $1 }) { #expect(read == synced) }
    }

    @Test("Complete attributes, averages, correlations, and insights are read back as the models that were synced")
    func exist() async throws {
        let fixture = try ExistFixture(zone: try #require(TimeZone(identifier: "Asia/Tokyo")))
        try await fixture.sync(history, altering: .distinct)
        let stored = try #require(try AccountReader.all(of: .exist, in: history).first)
        let existAPI = fixture.client(altering: .distinct)
        let (first, last) = (try #require(ExistDay("2026-11-01")), try #require(ExistDay("2026-11-20")))
        #expect(stored.day == last && stored.synced == Date.friday)

        // Removes the fields that a history doesn't store from the expected models.
        let attributes = try await existAPI.attributes(days: 20, from: first, through: last).value.attributes.map {
            found in
            var attribute = found
            attribute.values = found.values.filter { $0.value != nil }.reversed()
            attribute.serviceInfo = found.service.map { AttributeService(name: $0) }
            attribute.availableServices = []
            return attribute
        }
        let stored20 = try stored.attributes(from: first, through: last)
        expect(stored20, are: attributes, by: \.name)
        expect(stored20.compactMap(\.unit), are: attributes.compactMap(\.unit), by: \.symbol)
        expect(try stored.averages(), are: try await existAPI.averages().value.averages, by: \.attribute)
        let correlations = try await existAPI.correlations(strong: true).value.correlations.map { found in
            var correlation = found
            (correlation.secondPersonElements, correlation.rating) = ([], nil)
            return correlation
        }
        #expect(Set(correlations.map(\.attributeCategory)) == [nil, "category"])
        #expect(Set(correlations.map(\.offset)).isSuperset(of: [nil, 0]))
        expect(try stored.correlations(), are: correlations) { "\($0.attribute) \($0.attribute2)" }
        let insights = try await existAPI.all(.insights(from: first, through: last)).value.items.map { found in
            var insight = found
            insight.type.attribute = found.type.attribute.map { InsightAttribute(name: $0.name) }
            return insight
        }
        let storedInsights = try stored.insights(from: first, through: last)
        expect(storedInsights, are: insights) { "\($0.created) \($0.type.name)" }
    }

    @Test("A user is read back as synced, with several combinations of metric and imperial units", arguments: 0..<3)
    func user(bit: Int) async throws {
        let fixture = try ExistFixture(isEmpty: true, zone: try #require(TimeZone(identifier: "Asia/Tokyo")))
        // Each of the three cases of this test sets a different selection of the profile's imperial flags. No two units
        // have equal flags in all three cases, so at least one case fails if two units are swapped.
        let units = ["distance", "weight", "energy", "liquid", "temperature"].enumerated()
        let alteration = Alteration { target, page in
            guard target.hasSuffix("/profile/") else { return page }
            return page.merging(units.map { ("imperial_\($1)", (($0 + 1) >> bit & 1 == 1) as Any) }) { $1 }
        }
        try await fixture.sync(history, altering: alteration)
        let stored = try #require(try AccountReader.all(of: .exist, in: history).first)
        var user = try await fixture.client(altering: alteration).user().value.user
        (user.avatar, user.localTime) = (nil, nil)
        #expect(stored.user == user && user.utcOffset == 9 * 3600 && stored.ownName == user.username)
    }

    @Test("A participant's complete data is read back as the models that were synced")
    func participant() async throws {
        let fixture = try ParticipantFixture()
        try await fixture.sync(history, altering: .distinct)
        let (session, never) = (fixture.session(altering: .distinct), Date.distantFuture)
        let stored = try #require(try AccountReader.all(of: .mydatahelps, in: history).first)
        func all<Query: PagedQuery>(_ query: Query) async throws -> [Query.Page.Element] {
            var items: [Query.Page.Element] = []
            for try await page in session.pages(query) { items += page.items }
            return items
        }

        let points = try await all(DeviceDataQuery(namespace: .fitbit)) + all(DeviceDataQuery(namespace: .appleHealth))
        expect(
            try stored.deviceData(of: [.fitbit, .appleHealth], after: .distantPast, before: never),
            are: points.map { found in
                var point = found
                (point.source, point.properties) = (nil, [:])
                return point
            }, by: \.id.value)
        let tasks = try await all(SurveyTaskQuery())
        expect(try stored.openTasks(), are: tasks.filter { $0.status == .incomplete }, by: \.id.value)
        let answers = try await all(SurveyAnswersQuery())
        expect(try stored.answers(after: .distantPast, before: never), are: answers, by: \.id.value)
        let accounts = try await session.externalAccountsPage().value.items
        expect(try stored.externalAccounts(), are: accounts, by: \.provider.name)
        #expect(try stored.participantName() == "firstName lastName")
    }

    @Test("The fields of a participant and of the project are stored in columns that are named after them")
    func columns() async throws {
        let fixture = try ParticipantFixture()
        try await fixture.sync(history, altering: .distinct)
        func rows(_ columns: String, of table: String) throws -> Set<[SQLValue]> {
            Set(try history.query("SELECT \(columns) FROM \(table)").rows)
        }
        // Each text from the service equals the name of its field, so a text in the wrong column is noticed.
        func expectNames(in table: String, except others: [String: SQLValue]) throws {
            let answer = try history.query("SELECT * FROM \(table)")
            for (column, value) in zip(answer.columns, answer.rows[0]) {
                let words = column.split(separator: "_")
                let name = words[0] + words.dropFirst().map(\.capitalized).joined()
                #expect(value == others[column] ?? .text(String(name)), "\(table).\(column)")
            }
        }
        let fields: SQLValue = #"{"ARM":"B","FAVOURITE_EMOJI":"🫐","NOTES":"","VISITS":"3"}"#
        try expectNames(
            in: "participant",
            except: [
                "account": 1, "id": "participantID", "identifier": "participantIdentifier", "project": "projectID",
                "enrolled": "2026-07-23T12:00:00.000000Z", "language": "preferredLanguage",
                "unsubscribed_from_emails": 0, "unsubscribed_from_sms": 1, "custom_fields": fields,
            ])
        let address: SQLValue = "https://fjall.example.org/sleep?ref=app"
        try expectNames(in: "project", except: ["organization_id": "organizationID", "learn_more": address])
        let owner = try rows("first_name, last_name, time_zone, username", of: "account")
        #expect(owner == [["firstName", "lastName", "timeZone", nil]])
        #expect(
            try rows("source, source_properties, properties, started_offset, observed_offset", of: "device_data_point")
                == Set(
                    ["com.apple.health", "com.fitbit"].flatMap { source in
                        ([nil, 7200] as [SQLValue]).map { started in
                            [source, #"{"SourceName":"Mayas klocka ⌚️"}"#, #"{"properties":"1"}"#, started, 3600]
                        }
                    }))
        #expect(try rows("started_offset, ended_offset, due_offset", of: "survey_task") == [[7200, -10_800, 19_800]])
        #expect(
            try rows("answered_offset, answer", of: "survey_answer WHERE answer NOTNULL").allSatisfy { $0[0] == 3600 })
        #expect(
            try rows("length(id), identifier, length(sent)", of: "notification") == [
                [36, "DailyReminder", 27], [36, "WeeklySms", 27], [36, "Welcome", 27],
            ])
        #expect(
            try rows("type, title, body, content", of: "notification WHERE status = 'Succeeded'") == [
                ["Email", "Välkommen!", nil, nil], ["Push", "God morgon ☀️", "Ny enkät väntar", nil],
                ["Sms", nil, "Weekly check-in: https://example.org/s/1", nil],
            ])
    }

    @Test("An insight's time is stored with its UTC offset, so the local hour is known")
    func offsets() async throws {
        try await ExistFixture(zone: try #require(TimeZone(identifier: "Asia/Tokyo"))).sync(history)
        // The sandbox writes insights between 5:00 and 6:30 in the morning, local time.
        let hours = try history.query(
            """
            SELECT DISTINCT created_offset, strftime('%H', created, created_offset || ' seconds') FROM insight
            WHERE created LIKE '2026-11-1%' ORDER BY 2
            """
        ).rows
        #expect(hours == [[32_400, "05"], [32_400, "06"]])
    }

    @Test(
        "A measurement is read back exactly as it was sent, and is a number in SQL if it is written like one",
        arguments: [
            ("7.50", "real", true), ("7.5", "real", false), ("0.12345678901234567890", "real", true),
            ("12345678901234567890", "text", false), ("72", "integer", false), ("0072", "text", false),
        ])
    func digits(value: String, type: String, keepsText: Bool) async throws {
        let fixture = try ParticipantFixture(isEmpty: true)
        fixture.sandbox.putPoint(
            1, namespace: "Fitbit", type: "Weight", value: value, observed: fixture.clock.now,
            modified: fixture.clock.now)
        try await fixture.sync(history)
        #expect(
            try history.query("SELECT typeof(value), value_text FROM device_data_point").rows == [
                [.text(type), SQLValue(keepsText ? value : nil)]
            ])
        let stored = try #require(try AccountReader.all(of: .mydatahelps, in: history).first)
        let points = try stored.deviceData(of: [.fitbit], after: .distantPast, before: .distantFuture)
        #expect(points.map(\.value) == [value])
        #expect(try await fixture.sync(history).changes == ChangeCount())
    }

    @Test("An attribute that is inactive, removed, or of low priority is not listed, just as in the service")
    func unlisted() throws {
        try history.transaction { database in
            try database.run("INSERT INTO account (id, service, name) VALUES (1, 'exist', 'maya')")
            for (name, priority, active, removed) in [
                ("a", 1, 1, nil), ("b", 10, 1, nil), ("c", 1, 0, nil), ("d", 1, 1, "2026-11-20"), ("e", 9, nil, nil),
            ] as [(SQLValue, SQLValue, SQLValue, SQLValue)] {
                try database.put(attribute: name, of: 1, priority: priority, isActive: active)
                try database.run("UPDATE attribute SET removed = ? WHERE name = ?", [removed, name])
            }
        }
        let stored = try #require(try AccountReader.all(of: .exist, in: history).first)
        let (first, last) = (try #require(ExistDay("2026-11-01")), try #require(ExistDay("2026-11-20")))
        #expect(try stored.attributes(from: first, through: last).map(\.name) == ["a", "e"])
        // The values of neither attribute have been read yet.
        #expect(try stored.unfinished(since: first) == 2)
        try history.transaction { database in
            try database.put(SyncState(oldest: "2026-10-31"), of: ListName("value", "a"), account: 1)
            try database.put(SyncState(isComplete: true), of: ListName("value", "e"), account: 1)
        }
        #expect(try stored.unfinished(since: first) == 0)
    }
}
