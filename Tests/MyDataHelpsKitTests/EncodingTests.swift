import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

@Suite("Models in an app's cache")
struct EncodingTests {
    /// Each can also be made of its properties, by the initializer for an app's tests and previews.
    @Test(
        "What is encoded has the service's names, and decodes to an equal value in any format and with any strategy for dates",
        arguments: EncodedModel.all)
    func roundTrip(model: EncodedModel) throws { try model.check() }

    @Test("The table has a row for each model")
    func complete() throws {
        let symbols = try Repository.text("Tests/PublicSymbols/MyDataHelpsKit.txt").split(separator: "\n")
        func types(_ conformance: String) -> Set<String> {
            Set(symbols.filter { $0.hasSuffix(": is \(conformance)") }.map { String($0.prefix { $0 != ":" }) })
        }
        // A word is encoded as itself, and so is an identifier; `ServiceWordTests` has both.
        let models = types("Decodable").subtracting(types("RawRepresentable"))
            .subtracting(["ScopedIdentifier", "ResultPageWithID", "ServiceWord"])
        let rows = Set(EncodedModel.all.map(\.name))
        #expect(models.subtracting(rows).sorted() == [], "without a row")
        #expect(rows.subtracting(models).sorted() == [], "no such model")
        #expect(models.isSubset(of: types("Encodable")))
    }

    @Test("A date keeps all the digits it was sent with, before and after 1970")
    func digits() throws {
        try Fuzzing.run(cases: 2_000) { seed, generator in
            let digits = Int.random(in: 0...9, using: &generator)
            let fraction = (0..<digits).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
            let year = Int.random(in: 1900...2199, using: &generator)
            let second = Int.random(in: 0...59, using: &generator)
            let text = "\(year)-03-02T10:11:\(second < 10 ? "0" : "")\(second)\(digits == 0 ? "" : ".")\(fraction)Z"
            let account = ExternalAccount(
                id: .init(1), status: .error, provider: .init(id: .init(2), name: "p"),
                lastRefreshDate: try moment(text))

            let decoded = try JSONDecoder().decode(ExternalAccount.self, from: JSONEncoder().encode(account))

            #expect(decoded == account, "\(text), seed \(seed)")
        }
    }
}

/// A model, and what is to be true of each sample response that holds it.
struct EncodedModel: Sendable, CustomTestStringConvertible {
    let name: String
    let check: @Sendable () throws -> Void
    var testDescription: String { name }

    /// - Parameters:
    ///   - samples: The names of sample responses, which together have each name that is encoded.
    ///   - path: Where in a sample the model is.
    ///   - kept: Returns what is encoded of a model that may also have what could not be decoded.
    private init<Model: Codable & Equatable & Sendable>(
        _ type: Model.Type, _ samples: String..., at path: String = "",
        kept: @escaping @Sendable (Model) -> Model = { $0 }
    ) {
        name = String(reflecting: type).replacingOccurrences(of: "MyDataHelpsKit.", with: "")
        let name = name
        check = {
            let models = try samples.map { try JSONEncoder().encode(read(JSONValue.self, $0).at(path)) }
            let sent = try models.map { try JSONDecoder().decode(JSONValue.self, from: $0).names }
            var (properties, set): (Set<String>, Set<String>) = ([], [])
            for (index, json) in models.enumerated() {
                let model = try JSONDecoder().decode(type, from: json)
                let encoded = try JSONDecoder().decode(JSONValue.self, from: try JSONEncoder().encode(model))
                #expect(encoded.names.isSubset(of: sent.reduce([]) { $0.union($1) }), "\(name)")
                try Self.check(kept(model), "\(name)")
                for case let (label?, value) in Mirror(reflecting: model).children {
                    properties.insert(label)
                    if case Optional<Any>.some = value { set.insert(label) }
                }
                if index == 0, let again = rebuilt(model) { #expect(again as? Model == model, "\(name)") }
                let list = try PropertyListEncoder().encode(model)
                #expect(try PropertyListDecoder().decode(type, from: list) == model, "\(name)")
            }
            #expect(properties.subtracting(set).sorted() == [], "\(name): in no sample")
            // What a service may send as well: whatever decodes is encoded so that it does again.
            try Fuzzing.run(cases: 200, name) { seed, generator in
                guard let json = models.randomElement(using: &generator) else { return }
                let changed = try JSONTree(String(decoding: json, as: UTF8.self)).changed(&generator).text(&generator)
                let reply = HTTPReply(url: MyDataHelpsClient.serviceURL, status: 200, body: Data(changed.utf8))
                if let model = try? reply.json(type) { try Self.check(kept(model), "\(name), seed \(seed)") }
            }
        }
    }

    private static func check<Model: Codable & Equatable>(_ model: Model, _ words: String) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        let json = try encoder.encode(model)
        #expect(try JSONDecoder().decode(Model.self, from: json) == model, "\(words)")
        let reply = HTTPReply(url: MyDataHelpsClient.serviceURL, status: 200, body: json)
        #expect(try reply.json(Model.self) == model, "\(words)")
    }

    static let all = [
        EncodedModel(ParticipantInfo.self, "participant_200", "participant_minimal_200", "participant_1x_200"),
        EncodedModel(
            ParticipantDemographics.self, "participant_200", "participant_1x_200",
            #"{"demographics": {"middleName": "M", "state": "Z", "unsubscribedFromEmails": "true"}}"#,
            at: "demographics"),
        EncodedModel(
            ProjectParticipant.self, "administration_participant_200",
            #"{"id": "i", "participantIdentifier": "p", "withdrawDate": "2024-01-02T03:04:05Z", "invitationStatus": "x"}"#,
            #"{"id": "i", "participantIdentifier": "p", "secondaryIdentifier": "s", "accountMobilePhone": "+46"}"#),
        EncodedModel(
            ProjectParticipantsPage.self, "administration_participants_page_200",
            #"{"participants": [{"id": "i", "participantIdentifier": "p", "demographics": {"unsubscribedFromEmails": "true", "unsubscribedFromSms": "false"}}]}"#,
            kept: { ProjectParticipantsPage(participants: $0.participants, totalCount: $0.totalCount) }),
        EncodedModel(ProjectInfo.self, "project_200", "project_sparse_200"),
        EncodedModel(
            Organization.self, "project_200", "project_sparse_200",
            #"{"organization": {"id": "i", "name": "n", "description": "d"}}"#, at: "organization"),
        EncodedModel(
            ProjectDataCollectionSettings.self, "datacollectionsettings_200", "datacollectionsettings_newer_200",
            kept: {
                var settings = $0
                settings.unreadable = []
                return settings
            }),
        EncodedModel(QueryableDeviceDataType.self, "datacollectionsettings_200", at: "queryableDeviceDataTypes 0"),
        EncodedModel(DeviceDataResultPage.self, "devicedata_page1_200", "devicedata_empty_200", kept: whole),
        EncodedModel(DeviceDataPoint.self, "devicedata_page1_200", at: "deviceDataPoints 1"),
        EncodedModel(DeviceDataPointSource.self, "devicedata_page1_200", at: "deviceDataPoints 1 source"),
        EncodedModel(SurveyTaskResultPage.self, "surveytasks_page1_200", "surveytasks_last_200", kept: whole),
        EncodedModel(
            SurveyTask.self, "surveytasks_1x_200",
            #"{"surveyTasks": [{"id": "i", "surveyID": "s", "surveyName": "n", "surveyDisplayName": "d", "status": "x", "startDate": "2024-03-01T00:00:00Z", "endDate": "2024-03-02T00:00:00Z", "insertedDate": "2024-02-28T05:00:00Z", "modifiedDate": "2024-03-01T00:00:01Z"}]}"#,
            at: "surveyTasks 0"),
        EncodedModel(SurveyAnswersPage.self, "surveyanswers_page1_200", "surveyanswers_empty_200", kept: whole),
        EncodedModel(
            SurveyAnswer.self, "surveyanswers_page1_200", newer("surveyAnswers", "surveyanswers_page1_200"),
            at: "surveyAnswers 0"),
        EncodedModel(
            NotificationHistoryPage.self, "notifications_page1_200", "notifications_failures_200",
            "notifications_unknown_type_200", kept: whole),
        EncodedModel(
            NotificationHistoryModel.self, "notifications_page1_200",
            newer("notifications", "notifications_page1_200"), at: "notifications 0"),
        EncodedModel(OtherNotification.self, "notifications_unknown_type_200", at: "notifications 0"),
        EncodedModel(
            NotificationContent.PushContent.self, "notifications_page1_200", at: "notifications 0 content"),
        EncodedModel(NotificationContent.SMSContent.self, "notifications_page1_200", at: "notifications 1 content"),
        EncodedModel(NotificationContent.EmailContent.self, "notifications_page1_200", at: "notifications 2 content"),
        EncodedModel(
            ExternalAccountProvidersResultPage.APIResponse.self, "externalaccountproviders_page0_200",
            kept: {
                var page = $0
                page.unreadable = []
                return page
            }),
        EncodedModel(
            ExternalAccountProvider.self, "externalaccountproviders_page0_200",
            newer("externalAccountProviders", "externalaccountproviders_page0_200"), at: "externalAccountProviders 3"),
        EncodedModel(ExternalAccount.self, "externalaccounts_200", at: "0"),
        EncodedModel(
            ExternalAccountsPage.self, "externalaccounts_200", "externalaccounts_empty_200",
            kept: { ExternalAccountsPage(items: $0.items) }),
    ]

    /// Returns a sample with the fields that newer responses have in each item of a list.
    private static func newer(_ list: String, _ name: String) -> String {
        guard case .object(var page)? = try? read(JSONValue.self, name), case .array(let items)? = page[list] else {
            return name
        }
        page[list] = .array(
            items.map { item in
                guard case .object(let fields) = item else { return item }
                let more: [String: JSONValue] = [
                    "relatedProvider": .object(["id": .integer(7)]), "managingOrganization": .string("Åre"),
                    "contentVersion": .integer(3), "recipients": .array([.string("a")]), "event": .string("V 2"),
                    "schedule": .object(["name": .string("daily")]), "successorID": .integer(901),
                    "logoUrl": .string("https://assets.example.org/logo.png"),
                ]
                return .object(fields.merging(more) { $1 })
            })
        return (try? JSONEncoder().encode(page)).map { String(decoding: $0, as: UTF8.self) } ?? name
    }

    private static func whole<Page: ResultPageWithID>(_ page: Page) -> Page {
        var page = page
        page.content.unreadable = []
        return page
    }
}

extension JSONValue {
    /// The value at a path of names and positions, with spaces between them.
    fileprivate func at(_ path: String) throws -> JSONValue {
        try path.split(separator: " ").reduce(self) { value, step in
            switch value {
            case .object(let members): try #require(members[String(step)])
            case .array(let items): items[try #require(Int(step))]
            default: value
            }
        }
    }

    /// The paths to all names within this value; those of a list's items are the same.
    fileprivate var names: Set<String> {
        switch self {
        case .object(let members): Set(members.flatMap { name, value in [name] + value.names.map { "\(name).\($0)" } })
        case .array(let items): Set(items.flatMap { $0.names.map { "[].\($0)" } })
        default: []
        }
    }
}
