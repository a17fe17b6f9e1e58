import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeSandbox

@Suite("The administration of the MyDataHelps sandbox", .serialized)
final class MyDataHelpsAdministrationTests: MyDataHelpsSuite {
    private func list(_ query: String = "") throws -> ResponseBytes { try administration("participants?\(query)") }

    private func identifiers(_ query: String) throws -> [String] {
        try list(query).json["participants"].array?.compactMap { $0["participantIdentifier"].string } ?? []
    }

    @Test("A project has 240 different people, more than fit on a page of 200")
    func people() throws {
        let responses = try (0..<3).map { try list("pageNumber=\($0)&pageSize=200") }
        try Outputs.expect(items(list("pageSize=5").body), in: "people of the project")
        let people = responses.flatMap { $0.json["participants"].array ?? [] }
        for name in ["id", "participantIdentifier", "linkIdentifier", "accountEmail"] {
            #expect(Set(people.map { $0[name].string }).count == 240, "\(name)")
        }
        #expect(people[0]["id"].string == sandbox.participantID)
        #expect(try list().json["participants"].count == 100)
    }

    @Test("The list of people can be filtered by text and by segment, and is sorted by the date of insertion")
    func filters() throws {
        #expect(try list("query=lindqvist&pageSize=1").json["totalParticipants"] == 240)
        #expect(try identifiers("query=MAYA.LIND") == ["ÅRE-0042"])
        #expect(try identifiers("query=%C3%A5re-1007") == ["ÅRE-1007"])
        #expect(try identifiers("query=person-23@") == ["ÅRE-1023"])
        let half = try list("segmentId=\(SandboxID.make(.segment, 1).uppercased())&pageSize=1").json
        #expect(half["totalParticipants"] == 120 && half["participants"][0]["participantIdentifier"] == "ÅRE-1001")
        let all = try list("pageSize=1000&sortBy=InsertedDate&sortAscending=true").json["participants"].array ?? []
        let dates = all.compactMap { $0["insertedDate"].string.flatMap(ZonedTime.parse) }
        #expect(dates.count == 240 && dates == dates.sorted())
        let names = all.compactMap { $0["participantIdentifier"].string }
        #expect(try names.prefix(9) == identifiers("pageSize=9")[...])
        #expect(
            try names.reversed().prefix(9) == identifiers("pageSize=9&sortBy=InsertedDate&sortAscending=False")[...])
        for wrong in [
            "pageSize=0", "pageSize=1001", "pageNumber=-1", "pageNumber=1000001", "sortBy=Name", "sortAscending=maybe",
        ] {
            #expect(try list(wrong).status == 400, "\(wrong)")
        }
        #expect(try list("pageSize=1&pageNumber=1000000").status == 200)
    }

    @Test(
        "A service account reads a participant's lists without that participant's token",
        arguments: [
            ("devicedatapoints?namespace=Fitbit&type=Steps&limit=200", "deviceDataPoints"),
            ("surveyanswers?limit=200", "surveyAnswers"), ("surveytasks?", "surveyTasks"),
        ])
    func lists(query: String, name: String) throws {
        func items(_ more: String) throws -> [ServerJSON] {
            try administration("\(query)&\(more)").json[name].array ?? []
        }
        let found = try items("participantIdentifier=%C3%85RE-1007")
        #expect(!found.isEmpty && found.allSatisfy { $0["participantIdentifier"] == "ÅRE-1007" })
        #expect(try items("").first?["participantID"].string == sandbox.participantID)
        #expect(try items("participantIdentifier=nobody").isEmpty && items("limit=1000").count > 9)
        #expect(try items("limit=1001").isEmpty)
    }

    @Test("A service account lists the types of device data, all of which are enabled")
    func dataTypes() throws {
        func types(_ more: String) throws -> ServerJSON {
            try administration("devicedatapoints/alldatatypes?namespace=Fitbit\(more)").json
        }
        #expect(try types("").array?.map { $0["type"] } == ["Steps", "RestingHeartRate", "SleepMinutes"])
        #expect(try types("&enabled=True") == types("") && types("&enabled=False").count == 0)
    }

    @Test("Only the token of a service account can read people, and only the people of its own project")
    func access() throws {
        #expect(try administration("participants", project: "another").status == 404)
        #expect(try administration("participants", token: sandbox.token).status == 401)
        #expect(try administration("participants/ÅRE-9999").status == 404)
    }

    @Test("Each listed person can be read, also with that person's own token, and a person who joins later is listed")
    func reading() throws {
        sandbox.addToken("of a newcomer", of: "p-1")
        #expect(try list().json["totalParticipants"] == 241)
        for person in try list("pageSize=3&sortAscending=false").json["participants"].array ?? [] {
            let path = "participants/\(escaped(person["participantIdentifier"].string))"
            #expect(try administration(path).json == person)
            let own = try participantToken("api", of: person["id"].string ?? "").json["access_token"].string
            let profile = try get("participant", token: own).json
            #expect(profile["participantID"] == person["id"] && profile["demographics"] == person["demographics"])
            #expect(profile["enrollmentDate"].string.flatMap(ZonedTime.parse) != nil)
            #expect(try get("devicedata?namespace=Fitbit", token: own).json["deviceDataPoints"].count == 100)
        }
    }

    @Test("A token can read exactly what its scopes allow")
    func scopes() throws {
        let paths = [
            "participant": "Participant:read", "project": "Project:read",
            "datacollectionsettings": "DataCollectionSettings:read", "surveytasks": "SurveyTasks:read",
            "surveyanswers": "SurveyAnswers:read", "notifications": "Notifications:read",
            "externalaccounts": "ExternalAccounts:read", "devicedata?namespace=Fitbit": "api",
        ]
        for scope in MyDataHelpsSandbox.allScopes.sorted() {
            let token = try participantToken(scope).json["access_token"].string ?? ""
            for (path, own) in paths {
                let response = try get(path, token: token)
                #expect(response.status == (scope == own || scope == "api" ? 200 : 403), "\(scope) \(path)")
                #expect(response.status == 200 || response.json["message"].string?.contains(own) == true)
                #expect(response.headers["ratelimit-remaining"] != nil)
            }
        }
        let both = try participantToken("Participant:read SurveyAnswers:read").json["access_token"].string
        let statuses = try ["participant", "surveyanswers", "surveytasks"].map { try get($0, token: both).status }
        #expect(statuses == [200, 200, 403])
    }

    @Test(
        "A request for an unknown scope, or without a scope, gets no token",
        arguments: ["Nope:read", "api Nope:read", "", " "])
    func unknownScopes(scope: String) throws {
        let response = try participantToken(scope)
        #expect(response.status == 400 && response.json["error"] == "invalid_scope")
        #expect(!scope.contains("Nope") || response.json["error_description"] == "Unknown: Nope:read.")
    }
}
