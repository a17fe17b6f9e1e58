import Foundation
import Testing

@testable import PledgeSandbox

@Suite("Data in the MyDataHelps sandbox", .serialized)
final class MyDataHelpsDataTests: MyDataHelpsSuite {
    @Test(
        "At the same time, sandboxes have the same responses, to the byte",
        arguments: [
            ("devicedata?namespace=AppleHealth", 3_404_206_773_250_168_030),
            ("devicedata?namespace=Fitbit", 15_545_108_725_292_546_485),
            ("surveytasks", 5_295_882_821_437_517_023), ("surveyanswers", 3_862_561_353_544_060_379),
            ("notifications", 9_514_109_843_148_319_513), ("externalaccountproviders", 3_468_126_009_844_790_360),
        ] as [(String, UInt64)])
    func deterministic(path: String, expected: UInt64) throws {
        let found = try checksum(get(path).body.utf8)
        #expect(found == expected)
    }

    @Test("A participant is the same at any time, unless something about the participant has changed")
    func standing() throws {
        let before = try get("participant").body
        advance(86_400)
        #expect(try get("participant").body == before)
    }

    @Test("Pages are complete and do not overlap, and a page ID without its filters is rejected")
    func paging() throws {
        var ids: [String] = []
        var next = ""
        repeat {
            let page = try get("devicedata?namespace=Fitbit&type=Steps&limit=25\(next)").json
            ids += page["deviceDataPoints"].array?.compactMap { $0["id"].string } ?? []
            let id = page["nextPageID"].string
            next = id.map { "&pageID=\($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" } ?? ""
        } while !next.isEmpty
        #expect(ids.count == 60 && Set(ids).count == 60)

        let id = try get("devicedata?namespace=Fitbit&type=Steps&limit=25").json["nextPageID"].string ?? ""
        let escaped = id.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        #expect(id.contains("+") && id.contains("/"))
        #expect(try get("devicedata?namespace=Fitbit&limit=25&pageID=\(escaped)").status == 400)
        #expect(try get("devicedata?namespace=Fitbit&type=Steps&limit=25&pageID=\(id)").status == 400)
    }

    @Test("A date whose plus sign has become a space is rejected rather than misread")
    func plus() throws {
        #expect(try get("surveyanswers?after=2024-03-01T00:00:00%2B0100").status == 200)
        #expect(try get("surveyanswers?after=2024-03-01T00:00:00+0100").status == 400)
    }

    @Test("A list has commas between its texts, and a backslash before a comma in a text")
    func lists() throws {
        let both = try get("surveytasks?surveyName=DailyMood,Sleep%5C%2C%20weekly").json["surveyTasks"]
        let names = Set(both.array?.compactMap { $0["surveyName"].string } ?? [])
        #expect(names == ["DailyMood", "Sleep, weekly"])
    }

    @Test("Storing a point again keeps the point and replaces everything else")
    func storing() throws {
        let date: ServerJSON = "2024-03-02T10:00:00.000+0100"
        #expect(
            try post(
                "devicedata",
                [["identifier": "a", "type": "T", "value": "1", "units": "min", "observationDate": date]]
            ).status == 200)
        advance(60)
        #expect(
            try post(
                "devicedata",
                [["identifier": "a", "type": "T", "value": "2", "observationDate": "2024-03-02T09:00:00Z"]]
            ).status == 200)

        let points = try get("devicedata?namespace=Project").json["deviceDataPoints"]
        #expect(points.count == 1)
        #expect(points[0]["value"] == "2" && points[0]["units"] == .null)
        #expect(points[0]["insertedDate"] == "2024-03-02T11:00:00.000Z")
        #expect(points[0]["modifiedDate"] == "2024-03-02T11:01:00.000Z")
    }

    @Test("What a test adds is listed by its time, replaces what has its number, and can be removed")
    func changes() throws {
        let now = Self.noon
        for value in ["1", "2"] {
            sandbox.putPoint(7, namespace: "Fitbit", type: "Steps", value: value, observed: now, modified: now)
            sandbox.putTask(7, status: "closed", inserted: now, modified: now)
            sandbox.putAnswer(7, result: 8, [value], inserted: now)
            sandbox.putNotification(7, status: "Succeeded", sent: now)
        }
        let lists: [(String, String, SandboxID.Kind)] = [
            ("devicedata?namespace=Fitbit&type=Steps", "deviceDataPoints", .point),
            ("surveytasks", "surveyTasks", .task),
            ("surveyanswers", "surveyAnswers", .answer), ("notifications", "notifications", .notification),
        ]
        for (path, name, kind) in lists {
            let items = try get(path).json[name]
            #expect(items[0]["id"].string == SandboxID.make(kind, 7) && items[1]["id"] != items[0]["id"], "\(name)")
        }
        let answers = "surveyanswers?surveyResultID=\(SandboxID.make(.result, 8))"
        #expect(try get(answers).json["surveyAnswers"].array?.map { $0["answers"] } == [["2"]])
        sandbox.removeAnswers(result: 8)
        #expect(try get(answers).json["surveyAnswers"].count == 0)
    }

    @Test("A list with one invalid point stores none")
    func allOrNone() throws {
        let reply = try post("devicedata", [["type": "T", "value": "1"], ["type": "T", "value": 2]])
        #expect(reply.status == 400)
        #expect(try get("devicedata?namespace=Project").json["deviceDataPoints"].count == 0)
    }

    @Test("A result can be deleted once, if its survey allows it")
    func deleting() throws {
        func result(_ survey: String) throws -> String {
            try get("surveyanswers?surveyName=\(survey)").json["surveyAnswers"][0]["surveyResultID"].string ?? ""
        }
        let daily = try result("DailyMood")
        #expect(try delete("surveyresults/" + daily.uppercased()).status == 200)
        #expect(try delete("surveyresults/" + daily.uppercased()).status == 404)
        #expect(try delete("surveyresults/" + result("Sleep%5C%2C%20weekly")).status == 403)
    }

    @Test("An account that is refreshed fetches for a while, and ends with the status its provider has")
    func accounts() throws {
        func status() throws -> [String?] {
            try get("externalaccounts").json.array?.map { $0["status"].string } ?? []
        }
        #expect(try status() == ["fetchComplete", "error"])
        #expect(try post("externalaccounts/refresh/5501").status == 200)
        #expect(try post("externalaccounts/refresh/5502").status == 200)
        #expect(try status() == ["fetchingData", "fetchingData"])
        #expect(try status() == ["fetchingData", "fetchingData"])
        #expect(try status() == ["fetchComplete", "error"])
        #expect(try post("externalaccounts/refresh/1").status == 404)
    }

    @Test("An authorization is valid for one sign-in")
    func signingIn() throws {
        let reply = try post("externalaccountproviders/812/connect?finalRedirectPath=myapp%3A%2F%2Fdone")
        let address = try #require(reply.json.string.flatMap { URLComponents(string: $0) })
        let target = "\(address.path)?\(address.query ?? "")"
        #expect(try exchange("GET", target, as: "").headers["location"] == "myapp://done?status=connected")
        #expect(try exchange("GET", target, as: "").status == 400)
        #expect(try get("externalaccounts").json.count == 3)
    }

    @Test("Providers are returned as a page if a size is given, and all at once otherwise")
    func providers() throws {
        let page = try get("externalaccountproviders?pageSize=4&pageNumber=31").json
        #expect(page["externalAccountProviders"].count == 1 && page["totalExternalAccountProviders"] == 125)
        #expect(try get("externalaccountproviders").json.count == 125)
        #expect(try get("externalaccountproviders?search=skara&category=PROVIDER").json.count == 12)
    }
}
