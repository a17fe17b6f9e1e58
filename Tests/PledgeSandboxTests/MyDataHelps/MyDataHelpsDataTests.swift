import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeSandbox
@testable import PledgeServer

@Suite("Data in the MyDataHelps sandbox", .serialized)
final class MyDataHelpsDataTests: MyDataHelpsSuite {
    @Test(
        "Sandboxes with the same clock send the same items, byte for byte; a participant's profile never changes")
    func deterministic() throws {
        let other = try MyDataHelpsSuite()
        for list in ParticipantList.all {
            let (items, others) = (sandbox.records.current[list], other.sandbox.records.current[list])
            #expect(items.map(\.json) == others.map(\.json), "\(list.name)")
            try Outputs.expect(self.items(items.prefix(5).map { .object($0.json) }), in: list.name)
        }
        for path in ["project", "datacollectionsettings", "externalaccounts", "externalaccountproviders"] {
            let body = try get(path).body
            #expect(try body == other.get(path).body, "\(path)")
            try Outputs.expect(items(body), in: path)
        }
        let participant = try get("participant").body
        advance(86_400)
        #expect(try participant == get("participant").body && participant == other.get("participant").body)
        try Outputs.expect(items(participant), in: "participant")
        let swedish = try exchange(
            "GET", "/api/v1/delegated/project", as: "Bearer \(sandbox.token)\r\nAccept-Language: sv-SE"
        ).json
        #expect(swedish["name"] == "Nordisk sömnstudie" && swedish["learnMoreTitle"] == "Läs mer")
        #expect(swedish["description"].string?.hasPrefix("Sömn") == true)
    }

    @Test(
        "Each text filter of a list selects the items with the given text; each date filter selects earlier or later items"
    )
    func filters() throws {
        for list in ParticipantList.all {
            func found(_ query: String) throws -> [ParticipantRecords.Item] {
                let line = "GET /?namespace=Fitbit&\(query) HTTP/1.1"
                let request = try ServerRequest(line: Array(line.utf8)[...], connection: 1)
                return try list.select(sandbox.records.current[list], ParticipantQuery(request))
            }
            let all = try found("")
            func check(_ name: String, _ value: String, _ isWanted: (ParticipantRecords.Item) -> Bool) throws {
                let value = value.replacingOccurrences(of: ",", with: "\\,")
                let query = "\(name)=\(escaped(value))"
                let (wanted, ids) = (all.filter(isWanted).map { $0.text("id") }, try found(query).map { $0.text("id") })
                #expect(ids == wanted && !ids.isEmpty && ids.count < all.count, "\(list.name): \(query)")
            }
            for (name, field) in list.choices + list.texts.map({ ($0, $0) }) {
                func texts(_ item: ParticipantRecords.Item) -> [String] {
                    item.json[field]?.array?.compactMap(\.string) ?? [item.text(field) ?? ""]
                }
                for value in Set(all.flatMap(texts)) { try check(name, value) { texts($0).contains(value) } }
            }
            for (field, after, before) in list.dates {
                // A parameter's name begins like its field's: `observedAfter` and `observedBefore` filter `observationDate`.
                for name in [after, before] where field != "date" {
                    #expect(field.hasPrefix(name.prefix(name.hasPrefix("sent") ? 4 : 6)), "\(list.name): \(name)")
                }
                let middle = try #require(all[all.count / 2].text(field))
                let date = try #require(ZonedTime.parse(middle))
                try check(after, middle) { $0.timestamp(field) ?? date > date }
                try check(before, middle) { $0.timestamp(field) ?? date < date }
            }
        }
        // Commas separate the texts of a parameter. A comma that belongs to a text is preceded by a backslash.
        let both = try get("surveytasks?surveyName=DailyMood,Sleep%5C%2C%20weekly").json["surveyTasks"].array
        #expect(Set(both?.map { $0["surveyName"] } ?? []) == ["DailyMood", "Sleep, weekly"])
        let tasks = try get("surveytasks?sortOrder=Ascending").json["surveyTasks"].array
        #expect(try tasks?.reversed() == get("surveytasks?sortOrder=Descending").json["surveyTasks"].array)
    }

    @Test(
        "A parameter out of range or in a wrong form is refused",
        arguments: [
            ("devicedata", 400), ("devicedata?namespace=Fitbit&limit=0", 400),
            ("devicedata?namespace=Fitbit&limit=1", 200), ("surveytasks?limit=100", 200),
            ("surveytasks?limit=101", 400), ("surveytasks?sortOrder=Up", 400),
            ("surveytasks?pageID=page/1", 400), ("externalaccountproviders?pageSize=0", 400),
            ("externalaccountproviders?pageSize=1", 200), ("externalaccountproviders?pageSize=100", 200),
            ("externalaccountproviders?pageSize=101", 400), ("externalaccountproviders?pageSize=9&pageNumber=-1", 400),
            ("externalaccountproviders?pageSize=9&pageNumber=1000000", 200),
            ("externalaccountproviders?pageSize=9&pageNumber=1000001", 400),
            ("surveyanswers?after=2024-03-01T00:00:00%2B0100", 200),
            // This plus sign isn't escaped, so it means a space.
            ("surveyanswers?after=2024-03-01T00:00:00+0100", 400),
        ])
    func ranges(path: String, status: Int) throws { #expect(try get(path).status == status) }

    @Test("Pages are complete and do not overlap, and a page ID is refused if the request's filters have changed")
    func paging() throws {
        var ids: [String] = []
        var next = ""
        repeat {
            let page = try get("devicedata?namespace=Fitbit&type=Steps&limit=25\(next)").json
            ids += page["deviceDataPoints"].array?.compactMap { $0["id"].string } ?? []
            next = page["nextPageID"].string.map { "&pageID=\(escaped($0))" } ?? ""
        } while !next.isEmpty
        #expect(ids.count == 60 && Set(ids).count == 60)
        let id = try get("devicedata?namespace=Fitbit&type=Steps&limit=25").json["nextPageID"].string ?? ""
        #expect(id.contains("+") && id.contains("/"))
        #expect(try get("devicedata?namespace=Fitbit&limit=25&pageID=\(escaped(id))").status == 400)
        #expect(try get("devicedata?namespace=Fitbit&type=Steps&limit=25&pageID=\(id)").status == 400)
    }

    @Test("Storing a device data point again keeps the date of insertion and replaces everything else")
    func storing() throws {
        let points: [ServerJSON] = [
            [
                "identifier": "a", "type": "T", "value": "1", "units": "min",
                "observationDate": "2024-03-02T10:00:00.000+0100",
            ], ["identifier": "a", "type": "T", "value": "2", "observationDate": "2024-03-02T09:00:00Z"],
        ]
        for point in points {
            #expect(try post("devicedata", [point]).status == 200)
            advance(60)
        }
        let stored = try get("devicedata?namespace=Project").json["deviceDataPoints"]
        #expect(stored.count == 1 && stored[0]["value"] == "2" && stored[0]["units"] == .null)
        #expect(stored[0]["insertedDate"] == "2024-03-02T11:00:00.000Z")
        #expect(stored[0]["modifiedDate"] == "2024-03-02T11:01:00.000Z")
    }

    @Test("The response to a number outside its range names the range")
    func range() throws {
        #expect(try get("surveytasks?limit=101").json["message"] == "limit must be a number from 1 to 100.")
    }

    @Test("Items that a test adds are sorted by time, replace the item with the same number, and can be removed")
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

    @Test(
        "If one point of a list is invalid, none of the list's points is stored",
        arguments: [
            ["type": "T", "value": 2], ["type": "", "value": "1"], ["value": "1"], "T",
            ["type": "T", "value": "1", "startDate": "now"], ["type": "T", "value": "1", "observationDate": 7],
        ] as [ServerJSON])
    func allOrNone(point: ServerJSON) throws {
        func stored() throws -> Int { try get("devicedata?namespace=Project").json["deviceDataPoints"].count }
        let right: ServerJSON = ["type": "T", "value": "1", "startDate": nil]
        #expect(try post("devicedata", [right, point]).status == 400 && post("devicedata", right).status == 400)
        #expect(try stored() == 0)
        #expect(try post("devicedata", [right, ["type": "T2", "value": "1"]]).status == 200 && stored() == 2)
    }

    @Test("An open task can be saved or completed only by the page of its own survey")
    func surveyPage() throws {
        func finish(_ survey: String, _ reason: String) throws -> ServerJSON {
            let target = "/survey?surveyName=\(survey)&reason=\(reason)"
            #expect(try exchange("POST", target, as: "Bearer \(sandbox.token)").status == 200)
            return try get("surveytasks?surveyName=DailyMood&limit=1").json["surveyTasks"][0]
        }
        let before = try finish("DailyMood", "Closed")
        #expect(try before["status"] == "incomplete" && before == finish("Unknown", "Completed"))
        let now: ServerJSON = "2024-03-02T11:00:00.000Z"
        let saved = try finish("DailyMood", "Saved")
        #expect(saved["status"] == "incomplete" && saved["hasSavedProgress"] == true && saved["modifiedDate"] == now)
        let completed = try finish("DailyMood", "Completed")
        #expect(completed["status"] == "complete" && completed["hasSavedProgress"] == false)
        #expect(try completed["endDate"] == now && completed == finish("DailyMood", "Saved"))
        for (name, isKnown) in [("DailyMood", true), ("Unknown", false)] {
            let page = try exchange("GET", "/survey?surveyName=\(name)", as: "").body
            #expect(page.contains("const known = \(isKnown);") && page.contains("finish('Completed')"))
        }
    }

    @Test("A survey result can be deleted once, if its survey allows deleting")
    func deleting() throws {
        func result(_ survey: String) throws -> String {
            try get("surveyanswers?surveyName=\(survey)").json["surveyAnswers"][0]["surveyResultID"].string ?? ""
        }
        let daily = try result("DailyMood")
        #expect(try delete("surveyresults/" + daily.uppercased()).status == 200)
        #expect(try delete("surveyresults/" + daily.uppercased()).status == 404)
        #expect(try delete("surveyresults/" + result("Sleep%5C%2C%20weekly")).status == 403)
    }

    @Test("A refreshed account fetches data for a while, and then has the final status of its provider")
    func accounts() throws {
        func status() throws -> [String?] { try get("externalaccounts").json.array?.map { $0["status"].string } ?? [] }
        #expect(try status() == ["fetchComplete", "error"])
        #expect(try post("externalaccounts/refresh/5501").status == 200)
        #expect(try post("externalaccounts/refresh/5502").status == 200)
        #expect(try status() == ["fetchingData", "fetchingData"])
        #expect(try status() == ["fetchingData", "fetchingData"])
        #expect(try status() == ["fetchComplete", "error"])
        #expect(try get("externalaccounts").json[0]["lastRefreshDate"] == "2024-03-02T11:00:00.000Z")
        #expect(try post("externalaccounts/refresh/1").status == 404)
        for _ in 0..<2 {
            let path = "/api/cfhrprovideraccounts/account/5501"
            #expect(try exchange("DELETE", path, as: "Bearer \(sandbox.token)").status == 200)
            #expect(try status() == ["error"])
        }
    }

    @Test("A link to connect a provider works once, redirects to an allowed address, and replaces the old account")
    func signingIn() throws {
        for (provider, ids) in [(812, [5501, 5502, 6002]), (3, [5502, 6002, 6004])] {
            let response = try post("externalaccountproviders/\(provider)/connect?finalRedirectPath=myapp%3A%2F%2Fdone")
            let address = try #require(response.json.string.flatMap { URLComponents(string: $0) })
            let target = "\(address.path)?\(address.query ?? "")"
            #expect(try exchange("GET", target, as: "").headers["location"] == "myapp://done?status=connected")
            #expect(try exchange("GET", target, as: "").status == 400)
            let accounts = try get("externalaccounts").json.array ?? []
            #expect(accounts.map { $0["id"].integer } == ids && accounts.last?["status"] == "fetchingData")
        }
        for (query, status) in [
            ("812/connect?finalRedirectPath=https://my.app/x", 200),
            ("812/connect?finalRedirectPath=https://else/", 400),
            ("812/connect", 400), ("1/connect?finalRedirectPath=myapp://", 404),
        ] { #expect(try post("externalaccountproviders/\(query)").status == status, "\(query)") }
    }

    @Test("Providers are returned as a page if a page size is given, and all at once otherwise")
    func providers() throws {
        let page = try get("externalaccountproviders?pageSize=4&pageNumber=31").json
        #expect(page["externalAccountProviders"].count == 1 && page["totalExternalAccountProviders"] == 125)
        #expect(try get("externalaccountproviders").json.count == 125)
        #expect(try get("externalaccountproviders?search=skara&category=PROVIDER").json.count == 12)
    }
}
