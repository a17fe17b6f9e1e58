import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

@Suite("Every endpoint", .serialized)
struct MyDataHelpsEndpointTests {
    private let mdh: MyDataHelpsCase
    init() throws { mdh = try MyDataHelpsCase() }

    private static func sources() throws -> [(file: String, source: String)] {
        try Repository.paths(below: "Sources/MyDataHelpsKit", ending: ".swift").map {
            ($0, try Repository.text("Sources/MyDataHelpsKit/\($0)"))
        }
    }

    @Test("The file of each resource begins with its calls")
    func places() throws {
        // The beginning of a call, in any of the styles.
        let call = #/\n    public func [^{]*(?:-> Promise<|async throws|Completion<)/#
        // These files have calls for any endpoint and any query, or a method that uses a call's result.
        let others = ["ParticipantSession.swift", "PagedQuery.swift", "SurveyScreen/SurveyPage.swift"]
        var resources = 0
        for (file, source) in try Self.sources() where !others.contains(file) && source.contains(call) {
            resources += 1
            let first = source.split(separator: "\n").first { !$0.hasPrefix("import ") }
            #expect(first == "extension ParticipantSession {" || first == "extension ServiceAccount {", "\(file)")
        }
        #expect(resources > 1)
    }

    @Test("Every endpoint is in the table of these tests, and the table has every parameter of each list's query")
    func complete() throws {
        var paths: Set<String> = []
        for (_, source) in try Self.sources() {
            // Finds the paths in quotes, including their interpolated values.
            for match in source.matches(of: #/"((?:api|identityserver)/[^"]*)"/#) {
                paths.insert(String(match.1).replacing(#/\\\([^)]*\)/#, with: "{id}"))
            }
        }
        #expect(paths.symmetricDifference(EndpointCase.all.map(\.path)) == [])
        for list in EndpointCase.lists { #expect(list.constant == [], "\(list.name)") }
    }

    @Test("The sandbox has a route for every call in each style, and requires a token", arguments: EndpointCase.all)
    func route(endpoint: EndpointCase) async throws {
        for style in endpoint.styles {
            let (mdh, stranger) = (try MyDataHelpsCase(), try MyDataHelpsCase(token: "wrong"))
            try await style(mdh)
            let request = try #require(mdh.sandbox.server.requests.last)
            let (parts, pattern) = (request.path.split(separator: "/"), endpoint.path.split(separator: "/"))
            #expect(request.method == endpoint.method && parts.count == pattern.count)
            #expect(zip(parts, pattern).allSatisfy { $0 == $1 || $1 == "{id}" }, "\(request.path)")
            guard endpoint.isDelegated else { continue }
            let refusal = await thrown(MyDataHelpsError.self) { try await style(stranger) }
            #expect(refusal?.name == "unauthorizedRequest")
        }
    }

    @Test("An endpoint that a caller defines uses the session's token, rate limit, and errors")
    func own() async throws {
        let endpoint = Endpoint<[String: JSONValue]>(.get, "api/v1/delegated/project")
        let wrong = try MyDataHelpsCase(token: "wrong")
        mdh.sandbox.rateLimit = 9
        let answer = try await mdh.session.send(endpoint).value
        let refusal = await thrown(MyDataHelpsError.self) { try await wrong.session.send(endpoint).value }
        #expect(answer.value["name"] == .string("Nordic Sleep Study") && answer.response.status == 200)
        #expect(mdh.session.rateLimit?.remainingRequests == 8)
        #expect(refusal?.name == "unauthorizedRequest")
    }

    @Test("Every sample response decodes", arguments: EndpointCase.all)
    func samples(endpoint: EndpointCase) async throws {
        for name in endpoint.samples {
            mdh.answer("\(endpoint.method) /", String(decoding: try sample(name), as: UTF8.self))
            try await endpoint.styles[0](mdh)
        }
        #expect(mdh.unreadable.all.isEmpty)
    }

    /// The properties whose names differ from the service's fields.
    private static let names = [
        "logoUrl": "logoLink", "unsubscribedFromSms": "isUnsubscribedFromSMS",
        "unsubscribedFromEmails": "isUnsubscribedFromEmails", "enabled": "isEnabled",
        "enrolled": "isEnrolled", "excludeFromExport": "isExcludedFromExport",
    ]

    @Test("Models keep each field of a response as it was sent")
    func fields() throws {
        var differing: Set<String> = []
        // Leaves out the data collection settings. Their model stores what was sent in a dictionary and a set, so it
        // can't be compared field by field.
        for endpoint in EndpointCase.all where !endpoint.path.hasSuffix("/datacollectionsettings") {
            for sample in try endpoint.samples.map(sample) {
                guard let (models, sent) = try endpoint.pairs?(sample) else { continue }
                let found = differences(between: models, and: sent, names: Self.names)
                // Leaves out two fields that the models store as a local time with an offset; see `ObservedDateTests`.
                differing.formUnion(
                    found.filter { !$0.hasPrefix("[].startDate") && !$0.hasPrefix("[].observationDate") })
            }
        }
        // Known differences: models keep a notification's type in its content. They replace a missing title with the
        // survey's name, and a missing result identifier with the identifier of the step.
        let channels = ["Email", "Push", "Sms"].map { "[].type: \($0) was sent, it is nil" }
        let titles = ["resultIdentifier: nothing was sent, it is a", "surveyDisplayName: nothing was sent, it is n"]
        #expect(differing.symmetricDifference(channels + titles.map { "[].\($0)" }) == [])
    }

    @Test(
        "Samples decode in the same way with the client and with Foundation, even with broken items or random changes",
        arguments: EndpointCase.all)
    func decoding(endpoint: EndpointCase) throws {
        for name in endpoint.samples {
            try endpoint.decoding?.checkBroken(name, sample(name))
            try endpoint.decoding?.checkFuzzed(name, sample(name))
        }
    }

    @Test(
        "A wrong value is tolerated in any field, except the few fields without which an item or page is unreadable",
        arguments: EndpointCase.all)
    func wrongValues(endpoint: EndpointCase) throws {
        guard let name = endpoint.samples.first, let variants = try endpoint.decoding?.variants(of: name, sample(name))
        else { return }
        #expect(variants.needed.union(variants.neededByItem) == endpoint.needs)
        #expect(variants.unusual == endpoint.unusual)
        #expect(variants.silentChanges == [])
    }

    @Test(
        "A response of the wrong shape is reported as unreadable, unless the call needs nothing from the response",
        arguments: EndpointCase.all)
    func unreadable(endpoint: EndpointCase) async throws {
        for (status, body) in endpoint.samples.isEmpty ? [(200, "7"), (201, "<not JSON"), (202, "{"), (204, "")] : [] {
            mdh.answer("\(endpoint.method) /", status: status, body)
            try await endpoint.styles[0](mdh)
        }
        guard !endpoint.samples.isEmpty else { return }
        mdh.answer("\(endpoint.method) /", "7")
        let error = await thrown(MyDataHelpsError.self) { try await endpoint.styles[0](mdh) }
        #expect(error?.name == "decodingError" && error?.description.contains("\(endpoint.method) ") == true)
        #expect(error?.description.components(separatedBy: "Check the base URL").count == 2)
    }

    @Test("The sandbox supports each parameter of each list", arguments: EndpointCase.all.filter(\.isList))
    func inSandbox(endpoint: EndpointCase) async throws {
        let account = ServiceAccount(name: mdh.sandbox.serviceAccount, client: mdh.client) { $0 }
        let token = endpoint.isDelegated ? mdh.sandbox.token : try await account.serviceToken().value.value
        let ignored = try ignoredParameters(of: endpoint.sent.map(\.sent), at: mdh.sandbox.baseURL, as: token)
        // The sandbox supports only one order of participants, and refuses others.
        #expect(ignored == (endpoint.path.hasSuffix("/participants") ? ["sortBy"] : []))
    }

    @Test("The models have exactly the fields that the sandbox sends, except for the listed ones")
    func sandboxFields() throws {
        let sandbox = mdh.sandbox
        sandbox.addToken("other", of: "ÅRE-1001")
        let requests = EndpointCase.all.filter(\.isDelegated).flatMap { endpoint -> [FieldRequest] in
            guard let pairs = endpoint.pairs else { return [] }
            // This search finds a provider that has a logo.
            let more = endpoint.path.hasSuffix("accountproviders") ? ["GET /\(endpoint.path)?search=%C3%A5re"] : []
            return (endpoint.sent.map(\.sent) + more).map { FieldRequest($0, { [try pairs(Data($0.utf8))] }) }
        }
        try checkFields(
            of: "MyDataHelpsKit", at: sandbox.baseURL, as: [sandbox.token, "other"], requests,
            notSent: [
                "DeviceDataPoint.properties", "ExternalAccountProvider.managingOrganization",
                "ExternalAccountProvider.relatedProvider", "ExternalAccountProvider.successorID",
                "NotificationHistoryModel.contentVersion", "NotificationHistoryModel.recipients",
                "NotificationHistoryModel.schedule", "Organization.description", "ParticipantDemographics.middleName",
                "ParticipantDemographics.state", "ProjectDataCollectionSettings.sensorDataCollectionEndDate",
                "ProjectDataCollectionSettings.unreadable", "SurveyAnswer.event", "SurveyAnswer.schedule",
                "SurveyTask.startDate",
            ],
            routes: sandbox.routes.map { "\($0.method) \($0.path)" }.filter { $0.hasPrefix("GET /api/v1/delegated/") })
    }

    @Test(
        "Each call sends its parameters, the user agent, the token, and the format and language of the response",
        arguments: EndpointCase.all.flatMap(\.sent))
    func sends(row: SentCall) async throws {
        _ = await row.call(mdh.session).settled().value
        let request = try #require(mdh.sandbox.server.requests.first)
        let body = String(decoding: request.body, as: UTF8.self)
        #expect("\(request.method) \(request.target)" + (body.isEmpty ? "" : " \(body)") == row.sent)
        #expect(request.headers["Content-Type"] == (body.isEmpty ? nil : "application/json"))
        #expect(request.headers["Accept"] == "application/json" && request.headers["Accept-Language"] == "en-GB")
        #expect(request.headers["User-Agent"]?.contains("MyDataHelpsKit/\(MyDataHelpsClient.SDKVersion) ") == true)
        #expect(request.headers["Authorization"] == "Bearer \(mdh.sandbox.token)")
    }
}
