import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("A sync of version 2 of device data", .serialized)
struct DeviceDataV2SyncTests {
    private let (scratch, history): (TemporaryFolder, History)
    init() throws { (scratch, history) = try History.new() }

    private static let types = [
        ("GoogleHealth", "steps-daily"), ("GoogleHealth", "distance-daily"), ("HealthConnect", "steps-daily"),
        ("Oura", "sleep"),
    ]

    @Test("After nights in which points arrive late, change, and disappear, the file equals that of one full sync")
    func nights() async throws {
        let fixture = try ParticipantFixture(isEmpty: true, readsV2: true)
        var random = SeededGenerator(seed: 2_026)
        var known: [Int: (type: Int, day: Date)] = [:]
        func put(_ number: Int) {
            guard let point = known[number] else { return }
            let (namespace, type) = Self.types[point.type]
            fixture.sandbox.putPointV2(
                number, of: fixture.sandbox.participantIdentifier, namespace: namespace, type: type,
                value: "\(Int.random(in: 0...20_000, using: &random))", day: "\(ExistDay(point.day, in: .gmt))",
                modified: fixture.clock.now)
        }
        for night in 0..<Rounds.count(usual: 37) {
            fixture.clock.advance(by: 86_400)
            for type in Self.types.indices {
                known[night * 10 + type] = (type, fixture.clock.now - 86_400)
                put(night * 10 + type)
            }
            // A late point is at most twelve days old, because only a full sync finds points from before the overlap of
            // two weeks.
            let age = Double(Int.random(in: 2...12, using: &random))
            known[night * 10 + 5] = (Int.random(in: 0..<4, using: &random), fixture.clock.now - age * 86_400)
            put(night * 10 + 5)
            let recent = known.filter { fixture.clock.now.timeIntervalSince($1.day) < 12 * 86_400 }.keys.sorted()
            for _ in 0..<3 { recent.randomElement(using: &random).map(put) }
            if night % 3 == 0, let gone = recent.randomElement(using: &random) {
                known[gone] = nil
                fixture.sandbox.removePointV2(gone, of: fixture.sandbox.participantIdentifier)
            }
            try await fixture.sync(history)
            #expect(try history.count("device_data_point_v2", "removed IS NULL") == known.count)
        }
        let full = try History(scratch.path("full.db"))
        try await fixture.sync(full)
        #expect(try Set(history.content()).symmetricDifference(full.content()) == [])
    }

    @Test("A sync without changes takes one request for the list of types, and one for each type's recent points")
    func unchanged() async throws {
        let fixture = try ParticipantFixture(readsV2: true)
        let first = try await fixture.sync(history)
        #expect(try history.count("device_data_point_v2") > 8 * 364)
        #expect(first.requests >= fixture.sandbox.server.requests.count { $0.method == "GET" })
        fixture.sandbox.server.resetRequests()
        let second = try await fixture.sync(history)
        #expect(second.changes == ChangeCount())
        let requests = fixture.sandbox.server.requests.filter { $0.path.hasPrefix("/api/v2/") }
        #expect(requests.count == 9 && Set(requests.map(\.target)).count == 9)
        // The newest steps, those of November 19, are observed at the end of that day. The requests begin two weeks and
        // a day earlier.
        let since = requests.filter { $0.queryValue("type") == "steps-daily" }.map { $0.queryValue("observedAfter") }
        #expect(since == ["2026-11-05T00:00:00.000Z", "2026-11-05T00:00:00.000Z"])
    }

    @Test("A page with another participant's points is not stored, and its list is reported as unreadable")
    func strangers() async throws {
        let fixture = try ParticipantFixture(isEmpty: true, readsV2: true)
        let moment: ServerJSON = "2026-11-18T07:00:00Z"
        let point: ServerJSON = [
            "id": "x", "participantIdentifier": "ÅRE-1001", "namespace": "GoogleHealth", "type": "steps-daily",
            "value": "7", "insertedDate": moment, "modifiedDate": moment,
        ]
        fixture.sandbox.server.script.next(.max, matching: "GET /api/v2/") { request in
            let isSteps =
                request.queryValue("type") == "steps-daily" && request.queryValue("namespace") == "GoogleHealth"
            return isSteps ? .json(["deviceDataPoints": [point], "nextPageID": nil]) : nil
        }
        let summary = try await fixture.sync(history)
        #expect(try history.count("device_data_point_v2") == 0)
        #expect(summary.gaps.map(\.kind) == ["unreadable"])
        #expect(summary.notes.contains { $0.contains("another participant") }, "\(summary.notes)")
    }

    @Test("Without a service account, a sync doesn't request version 2 of the device data")
    func without() async throws {
        let fixture = try ParticipantFixture()
        try await fixture.sync(history)
        #expect(!fixture.sandbox.server.requests.contains { $0.path.hasPrefix("/api/v2/") })
        #expect(try history.count("device_data_point_v2") == 0 && history.count("device_data_point") > 0)
    }
}
