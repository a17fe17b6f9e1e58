import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Each field that the sandbox sends is read, and each property of a model is sent, except those listed")
struct SandboxFieldTests {
    @Test("by and to ExistKit")
    func exist() throws {
        let sandbox = try ExistSandbox.start()
        defer { sandbox.stop() }
        let (owned, made) = (#"[{"name": "steps", "date": "2024-01-02", "value": 1}]"#, #"[{"template": "tv_min"}]"#)
        let failing = #"[{"name": "x", "template": "x", "label": "x", "date": "2024-01-02", "value": 1}]"#
        // Whose flags in the profile differ.
        let users = ["a", "b", "c", "d", "e"]
        users.forEach { sandbox.addToken($0, username: $0) }
        let rows = [
            Row("GET attributes/templates/", AttributeTemplate.self), Row("GET insights/", Insight.self),
            Row("GET attributes/?include_inactive=1", ExistKit.Attribute.self), Row("GET averages/", Average.self),
            Row("GET attributes/with-values/", ExistKit.Attribute.self),
            Row("GET attributes/values/?attribute=sleep", ExistKit.Attribute.DayValue.self),
            Row("GET correlations/?limit=100", Correlation.self),
            Row("GET correlations/combo/?attribute=mood&attribute2=guitar", Correlation.self),
            Row("POST attributes/create/", SuccessfulAttribute.self, #"[{"template": "gaming_min"}]"#),
            Row("POST attributes/acquire/", SuccessfulAttribute.self, made),
            Row("POST attributes/acquire/?success_objects=1", SuccessfulAttribute.self, #"[{"name": "steps"}]"#),
            Row("GET attributes/owned/", ExistKit.Attribute.self),
            Row("POST attributes/update/", UpdatedAttribute.self, owned),
            Row("POST attributes/update/", FailedAttribute.self, failing, at: "failed"),
            Row("POST attributes/increment/", UpdatedAttribute.self, owned),
            Row("POST attributes/release/", SuccessfulAttribute.self, #"[{"name": "steps"}]"#),
        ]
        try compare(
            rows + users.map { Row("GET accounts/profile/", User.self, as: $0) }, of: "ExistKit", sandbox.token,
            sandbox.baseURL, "/api/2/", sandbox.routes.filter { !$0.path.contains("simple-token") },
            // Encoded under its other name.
            notRead: ["Average.user_attribute"],
            notSent: [
                "Attribute.unreadableValues", "Correlation.attributeCategory", "Correlation.description",
                "Correlation.occurrence", "FailedAttribute.index", "FailedAttribute.sent", "UpdatedAttribute.index",
            ])
    }

    @Test("by and to MyDataHelpsKit")
    func myDataHelps() throws {
        let sandbox = try MyDataHelpsSandbox.start()
        defer { sandbox.stop() }
        sandbox.addToken("other", of: "ÅRE-1001")
        let rows = [
            Row("GET participant", ParticipantInfo.self), Row("GET participant", ParticipantInfo.self, as: "other"),
            Row("GET project", ProjectInfo.self), Row("GET datacollectionsettings", ProjectDataCollectionSettings.self),
            Row("GET devicedata?namespace=AppleHealth", DeviceDataPoint.self, at: "deviceDataPoints"),
            Row("GET surveytasks", SurveyTask.self, at: "surveyTasks"),
            Row("GET surveyanswers", SurveyAnswer.self, at: "surveyAnswers"),
            Row("GET notifications", NotificationHistoryModel.self, at: "notifications"),
            Row("GET externalaccountproviders", ExternalAccountProvider.self),
            Row("GET externalaccounts", ExternalAccount.self),
        ]
        try compare(
            rows, of: "MyDataHelpsKit", sandbox.token, sandbox.baseURL, "/api/v1/delegated/",
            sandbox.routes.filter { $0.method == "GET" }, notRead: [],
            notSent: [
                "DeviceDataPoint.properties", "ExternalAccountProvider.managingOrganization",
                "ExternalAccountProvider.relatedProvider", "ExternalAccountProvider.successorID",
                "NotificationHistoryModel.contentVersion", "NotificationHistoryModel.recipients",
                "NotificationHistoryModel.schedule", "Organization.description", "ParticipantDemographics.middleName",
                "ParticipantDemographics.state", "ProjectDataCollectionSettings.sensorDataCollectionEndDate",
                "ProjectDataCollectionSettings.unreadable", "SurveyAnswer.event", "SurveyAnswer.schedule",
                "SurveyTask.startDate",
            ])
    }

    /// A request, and the model of the items of its response, or of the response itself.
    private struct Row {
        let (request, body, token): (String, String, String?)
        let models: (JSONValue) throws -> [(item: JSONValue, model: any Codable)]

        init<Model: Codable>(
            _ request: String, _ type: Model.Type, _ body: String = "", at list: String? = nil, as token: String? = nil
        ) {
            (self.request, self.body, self.token) = (request, body, token)
            models = { json in
                var items = [json]
                if case .array(let all) = json { items = all }
                for name in list.map({ [$0] }) ?? ["results", "success"] {
                    if case .object(let members) = json, case .array(let all)? = members[name] { items = all }
                }
                return try items.map { ($0, try JSONDecoder().decode(type, from: JSONEncoder().encode($0))) }
            }
        }
    }

    private func compare(
        _ rows: [Row], of module: String, _ token: String, _ url: URL, _ prefix: String, _ routes: [ServerRoute],
        notRead: [String], notSent: [String]
    ) throws {
        var (sent, read, models) = (Set<String>(), Set<String>(), EncodedModels(of: module))
        func target(_ row: Row) -> String { row.request.replacingOccurrences(of: " ", with: " \(prefix)") }
        for row in rows {
            let head = "\(target(row)) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(row.token ?? token)\r\n"
            let reply = try RawClient(url).ask("\(head)Content-Length: \(row.body.utf8.count)\r\n\r\n\(row.body)")
            let json = try JSONDecoder().decode(JSONValue.self, from: Data((reply?.body ?? "").utf8))
            for (item, model) in try row.models(json) {
                models.count(model)
                let again = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(model))
                sent.formUnion(paths(item).map { "\(type(of: model)).\($0)" })
                read.formUnion(paths(again).map { "\(type(of: model)).\($0)" })
            }
        }
        #expect(sent.subtracting(read).sorted() == notRead)
        #expect(models.unset == notSent)
        let known = routes.map { "\($0.method) \($0.path)" }.filter { $0.contains(" \(prefix)") }
        #expect(Set(rows.map { String(target($0).prefix { $0 != "?" }) }).symmetricDifference(known) == [])
    }

    /// Returns the names of what has a value, each after those that contain it: `group.label`.
    private func paths(_ json: JSONValue) -> [String] {
        switch json {
        case .array(let items): items.flatMap(paths)
        case .object(let members):
            members.filter { ![.null, .string("")].contains($1) }.flatMap { name, value in
                [name] + paths(value).map { "\(name).\($0)" }
            }
        default: []
        }
    }
}
