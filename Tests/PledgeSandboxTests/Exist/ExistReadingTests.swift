import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeSandbox

@Suite("Reading from the Exist sandbox", .serialized)
final class ExistReadingTests: ExistSuite {
    private func names(_ path: String) throws -> [String] { try results(path).compactMap { $0["name"].string } }

    @Test("Each flag of the profile differs between users, and does so independently of the other flags")
    func flags() throws {
        let profiles = try (0..<30).map { number in
            sandbox.addToken("of-\(number)", username: "user-\(number)")
            return try exchange("GET", "/api/2/accounts/profile/", as: "Bearer of-\(number)").json.object ?? [:]
        }
        let names = profiles[0].filter { $1.bool != nil }.keys
        let columns = names.map { name in profiles.map { $0[name]?.bool } }
        #expect(columns.count == 7 && Set(columns).count == 7)
        #expect(columns.allSatisfy { Set($0) == [true, false] })
        #expect(
            profiles[1...2].map { $0.filter { $1 == true }.keys.sorted() } == [
                ["delinquent", "imperial_distance", "imperial_weight"],
                ["delinquent", "imperial_temperature", "imperial_weight", "trial"],
            ])
    }

    @Test(
        "Sandboxes with the same clock send the same responses, byte for byte",
        arguments: [
            ("accounts/profile/?", 0, "profile"), ("attributes/templates/?include_low_priority=1", 0, "templates"),
            ("attributes/?include_inactive=1&include_low_priority=1", 0, "attributes"),
            ("attributes/with-values/?days=31", 0, "attributes with values"), ("insights/?", 0, "insights"),
            // One day later is a Sunday, and 30 days later is the first day of a month.
            ("insights/?", 1, "insights on a Sunday"), ("averages/?", 1, "averages on a Sunday"),
            ("insights/?", 30, "insights on the first of a month"),
        ] as [(String, Double, String)])
    func deterministic(path: String, later: Double, name: String) throws {
        let other = try ExistSuite()
        advance(later * 86_400)
        other.advance(later * 86_400)
        for page in 1...9 {
            let whole = "\(path)&limit=100&page=\(page)"
            #expect(try get(whole).body == other.get(whole).body)
        }
        try Outputs.expect(items(get("\(path)&limit=3").body), in: name)
    }

    @Test("Lists are divided into pages, and the links to other pages keep the query")
    func paging() throws {
        let first = try get("attributes/?limit=19&exclude_custom=1").json
        #expect(first["count"] == 37 && first["results"].count == 19 && first["previous"] == .null)
        #expect(first["next"] == "http://127.0.0.1/api/2/attributes/?exclude_custom=1&limit=19&page=2")
        let second = try get("attributes/?limit=19&exclude_custom=1&page=2").json
        #expect(second["next"] == .null)
        #expect(second["previous"] == "http://127.0.0.1/api/2/attributes/?exclude_custom=1&limit=19")
        let third = try get("attributes/?limit=10&page=3").json
        #expect(third["previous"] == "http://127.0.0.1/api/2/attributes/?limit=10&page=2")
        let link = try get("attributes/?page=1&limit=1&attributes=a%2Bb%20c,steps,mood").json["next"]
        #expect(link == "http://127.0.0.1/api/2/attributes/?attributes=a%2Bb+c%2Csteps%2Cmood&limit=1&page=2")
        #expect(try get("attributes/?limit=50").json["previous"] == .null)
        #expect(try results("attributes/").count == 20)
        #expect(try results("attributes/values/?attribute=steps&limit=1000").count == 100)
        let pages = try (1...5).flatMap { try names("attributes/?limit=10&page=\($0)") }
        #expect(try pages == names("attributes/?limit=100") && Set(pages).count == 42)
        #expect(try get("attributes/?page=4").json == ["detail": "Invalid page."])
        #expect(try get("attributes/?page=0").status == 404)
        let none: ServerJSON = ["count": 0, "next": nil, "previous": nil, "results": []]
        #expect(try get("attributes/?groups=finance").json == none)
    }

    @Test(
        "An invalid or missing parameter is refused, and the response names the parameter",
        arguments: [
            ("attributes/?page=abc", "page"), ("attributes/?limit=0", "limit"), ("attributes/?limit=x", "limit"),
            ("attributes/with-values/?days=many", "days"), ("attributes/with-values/?date_max=2024-2-3", "date_max"),
            ("attributes/values/", "attribute"), ("attributes/values/?attribute=steps&date_max=x", "date_max"),
            ("insights/?priority=high", "priority"), ("insights/?date_min=2024-02-30", "date_min"),
            ("averages/?date_max=now", "date_max"), ("insights/?date_min=2024-02-03&date_max=2024-02-02", "date_min"),
            ("correlations/combo/?attribute=mood", "attribute2"),
        ])
    func malformed(path: String, field: String) throws {
        let response = try get(path)
        #expect(response.status == 400 && response.json[field][0].string?.isEmpty == false)
    }

    @Test("Attributes are sorted by group and priority, and can be filtered in every documented way")
    func filters() throws {
        let lists = [
            "attributes/?limit=4": ["steps", "steps_active_min", "floors", "steps_distance"],
            "attributes/?groups=events,workouts": ["workouts", "workouts_min", "events", "events_duration"],
            "attributes/?attributes=mood,steps,unknown": ["steps", "mood"], "attributes/?owned=true": [],
            "attributes/?groups=custom&exclude_custom=true": [], "attributes/?groups=social": [],
            "attributes/?groups=social&include_inactive=1": ["mastodon_posts"],
            "attributes/?groups=location&include_low_priority=true": ["checkins"],
            "attributes/with-values/?templates=mood,guitar": ["mood"],
        ]
        for (path, list) in lists { #expect(try names(path) == list, "\(path)") }
        #expect(try names("attributes/?groups=mood,sleep&manual=true").count == 4)
        #expect(try names("attributes/?groups=mood,sleep&manual=false").count == 4)
        #expect(try names("attributes/with-values/?groups=food,weather&manual=true").count == 3)
        #expect(try get("attributes/templates/?include_low_priority=1").json["count"] == 86)
        #expect(try get("attributes/templates/?groups=mood").json["count"] == 4)
        #expect(try get("insights/?date_min=2024-02-03&date_max=2024-02-03").status == 200)
    }

    @Test("A range of days is complete, begins with the newest day, and is never longer than 31 days")
    func withValues() throws {
        func dates(_ query: String) throws -> [String?] {
            let values = try results("attributes/with-values/?attributes=weight&\(query)")[0]["values"]
            return values.array?.map { $0["date"].string } ?? []
        }
        #expect(try dates("days=3&date_max=2024-03-01") == ["2024-03-01", "2024-02-29", "2024-02-28"])
        #expect(try dates("") == ["2024-03-02"])
        #expect(try dates("days=400").count == 31)
        #expect(try dates("days=0").count == 1)
    }

    @Test("The history of an attribute covers the whole year, and has the same values as the list of attributes")
    func values() throws {
        let all = try get("attributes/values/?attribute=mood&limit=100").json
        #expect(all["count"] == 365)
        let month = try results("attributes/with-values/?attributes=mood&days=31")[0]["values"].array
        #expect(month == Array(all["results"].array?.prefix(31) ?? []))
        let last = try results("attributes/values/?attribute=mood&date_max=2023-03-05")
        #expect(last.map { $0["date"] } == ["2023-03-05", "2023-03-04"])
        #expect(try get("attributes/values/?attribute=mood&date_max=2023-03-03").json["count"] == 0)
        #expect(try get("attributes/values/?attribute=mood&date_max=2023-03-04").json["count"] == 1)
        #expect(try get("attributes/values/?attribute=unknown").status == 404)
    }
}
