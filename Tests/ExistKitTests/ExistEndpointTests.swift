import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@Suite("Every endpoint", .serialized)
struct ExistEndpointTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    /// The queries whose names differ from the end of their path.
    private static let queries = ["with-values": "attributesWithValues"]

    @Test("The table of these tests has every parameter of each list's query")
    func complete() throws {
        let labels = try Repository.symbols("ExistKit").filter { $0.declaration.hasPrefix("static func ") }
            .compactMap { symbol in
                symbol.path.wholeMatch(of: #/ExistQuery\.(\w+)\((\S+:)\)/#).map { match in
                    "\(match.1): \(match.2.count { $0 == ":" }) parameters"
                }
            }
        let sent = EndpointCase.lists.map { list in
            let names = Set(list.sent.flatMap { $0.sent.matches(of: #/[?&](\w+)=/#).map(\.1) })
            let end = list.name.split(separator: "/").last.map { "\($0)".replacing("GET ", with: "") } ?? ""
            return "\(Self.queries[end] ?? end): \(names.count) parameters"
        }
        #expect(sent.sorted() == labels.sorted(), "with the list of symbols as it is now")
    }

    @Test(
        "The sandbox has a route for every endpoint, and requires a token where the service requires one",
        arguments: EndpointCase.all)
    func route(endpoint: EndpointCase) async throws {
        let stranger = ExistAPI(
            token: "wrong", timeout: 600, baseURL: exist.sandbox.baseURL,
            options: ExistAPI.defaultOptions.with { $0.retry = .never })
        let problem = await endpoint.call(exist.existAPI).failure().map(ExistError.init)
        let refusal = await endpoint.call(stranger).failure().map(ExistError.init)
        let request = try #require(exist.sandbox.server.requests.first)
        let path = request.path.replacingOccurrences(of: "/api/2/", with: "/").dropFirst()
        #expect("\(request.method) \(path)" == endpoint.name)
        #expect(endpoint.needsToken ? problem == nil : problem?.kind != .notFound)
        #expect(!endpoint.needsToken || refusal?.kind == .unauthorized)
    }

    @Test("An endpoint that a caller defines is sent with the client's token and reports the client's errors")
    func own() async throws {
        let endpoint = Endpoint<[String: JSONValue]>(.get, "accounts/profile/")
        let wrong = try SandboxCase(token: "not-a-token")
        let answer = try await exist.existAPI.send(endpoint).value
        let refusal = await thrown(ExistError.self) { try await wrong.existAPI.send(endpoint).value }
        #expect(answer.value["username"] != nil && answer.response.status == 200)
        #expect(refusal?.kind == .unauthorized)
    }

    @Test("Unreadable items are also reported if a list's endpoint is sent directly")
    func sentList() async throws {
        exist.answer("GET /api/2/insights/", #"{"results": [{}]}"#)
        let page = try await exist.existAPI.send(ExistQuery<Insight>.insights().endpoint).value.value
        #expect(page.unreadable.count == 1 && exist.unreadable.all == ["insights/ item 0: created is missing"])
    }

    @Test("Every sample response decodes", arguments: EndpointCase.all)
    func samples(endpoint: EndpointCase) async throws {
        #expect(!endpoint.samples.isEmpty)
        for sample in endpoint.samples {
            try exist.answer("", sample: sample)
            let problem = await endpoint.call(exist.existAPI).failure()
            #expect(problem == nil, "\(sample)")
        }
        // Leaves out the reports of missing items: the documentation shortens some samples, but not their item counts.
        let unreadable = exist.unreadable.all.filter { !$0.contains("the service announces") }
        #expect(unreadable.isEmpty && exist.targets.count == endpoint.samples.count)
    }

    @Test(
        "Samples decode in the same way with the client and with Foundation, even with broken items or random changes",
        arguments: EndpointCase.all)
    func decoding(endpoint: EndpointCase) throws {
        for name in endpoint.readable {
            let body = Data(try sample(name).utf8)
            try endpoint.decoding?.checkBroken(name, body)
            try endpoint.decoding?.checkFuzzed(name, body)
        }
    }

    @Test(
        "A wrong value is tolerated in any field, except the few fields without which an item or page is unreadable",
        arguments: EndpointCase.all)
    func wrongValues(endpoint: EndpointCase) throws {
        let name = endpoint.samples[0]
        guard let variants = try endpoint.decoding?.variants(of: name, Data(sample(name).utf8)) else { return }
        #expect(variants.needed.union(variants.neededByItem) == endpoint.needs)
        #expect(variants.unusual == endpoint.unusual)
        // A group for which only a name was sent gets the first priority, 0.
        let group = ".results[].type.attribute.group: .type.attribute.group.priority is 0"
        #expect(variants.silentChanges == (endpoint.name == "GET insights/" ? [group] : []))
    }

    /// The properties whose names differ from the service's fields.
    private static let names = [
        "date": "day", "target_date": "targetDay", "user_attribute": "attribute", "service": "serviceInfo",
        "local_time": "clock.date",
    ]

    /// Known differences: fields that no model has, groups and labels for which only a name was sent, a title that
    /// serves as a name, and tags, whose values are numbers.
    private static let otherwise = Set(
        [
            ".aFieldAddedLater.nested[]: 1 was sent", ".aFieldAddedLater.nested[]: 2 was sent",
            "[].manual: false was sent",
            "[].valueType: 6 was sent", "[].valueType: 7 was sent", "[].group: custom was sent",
            "[].group: media was sent", "[].group: sleep was sent", "[].title: stress_level was sent",
            "[].serviceInfo: withings was sent",
        ].map { "\($0), it is nil" }
            + [
                ".clock.offset: 3600", ".clock.offset: 49500", "[].group.label: custom", "[].group.label: media",
                "[].group.name: custom", "[].group.name: media", "[].type.attribute.group.label: sleep",
                "[].name: stress_level", "[].name: weight",
            ].map { $0.replacingOccurrences(of: ": ", with: ": nothing was sent, it is ") }
            + ["[].values[].value: false was sent, it is 0", "[].values[].value: true was sent, it is 1"])

    @Test("Models keep each field of a response and encode it as it was sent")
    func models() throws {
        var models = EncodedModels(of: "ExistKit")
        var differing: Set<String> = []
        for endpoint in EndpointCase.all {
            for sample in endpoint.readable {
                for (model, sent) in try endpoint.checkEncoded(sample) {
                    models.add(model, from: "\(endpoint.name) \(sample)")
                    if sent == .null { continue }
                    differing.formUnion(differences(between: model, and: sent, names: Self.names))
                }
            }
        }
        #expect(differing.symmetricDifference(Self.otherwise) == [])
        // These properties are the kit's own, not the service's.
        let own = [
            "Attribute.unreadableValues", "FailedAttribute.index", "FailedAttribute.sent", "UpdatedAttribute.index",
        ]
        #expect(models.unset.symmetricDifference(own) == [])
        // The other types are envelopes, values to send, and days of the week.
        let others = ["ExistDay.Weekday", "ExistPage", "ValueUpdate", "WriteResult"]
        #expect(try models.missing().symmetricDifference(others) == [])
    }

    @Test("A response of the wrong shape is reported as unreadable", arguments: EndpointCase.all)
    func unreadable(endpoint: EndpointCase) async throws {
        exist.answer("", "[7]")
        let problem = await endpoint.call(exist.existAPI).failure()
        #expect(problem.map { ExistError($0).kind } == .unreadable)
    }

    @Test("The table tests every endpoint's parameters and every named call")
    func parameters() throws {
        for endpoint in EndpointCase.all where endpoint.needsToken {
            let calls = SentCall.all.filter { $0.endpoint == endpoint.name }
            // A list needs at least two rows: one without parameters, and one with the parameters for a page.
            #expect(calls.count > (endpoint.sent.isEmpty ? 0 : 1), "\(endpoint.name)")
        }
        let calls = try Set(
            Repository.symbols("ExistKit").filter { $0.declaration.contains("-> Promise<") }
                .compactMap { $0.path.prefixMatch(of: #/(?:ExistAPI|ExistOAuth)\.(\w+)\(/#).map { String($0.1) } })
        let table = try Repository.text("Tests/ExistKitTests/EndpointTable.swift")
        let missing = calls.filter { !table.contains(".\($0)(") }
        // The other calls are for any list or endpoint, may send several requests, or use the endpoint of another call.
        let others = ["all", "page", "send", "incrementAcquiringIfNeeded", "updateAcquiringIfNeeded", "refresh"]
        #expect(missing.symmetricDifference(others) == [])
    }

    @Test(
        "The sandbox supports each parameter of each list, and returns no items to a token without scopes",
        arguments: EndpointCase.lists)
    func inSandbox(endpoint: EndpointCase) async throws {
        // Acquires attributes that differ in all properties by which a parameter can filter, so that each parameter
        // changes the list of owned attributes.
        _ = try await exist.existAPI.acquire(names: ["mood", "steps", "guitar", "checkins"]).value
        let ignored = try ignoredParameters(
            of: endpoint.sent.map(\.sent), at: exist.sandbox.baseURL, as: exist.sandbox.token)
        // No owned attribute is inactive, so this parameter changes nothing.
        #expect(ignored == (endpoint.name.hasSuffix("/owned/") ? ["include_inactive"] : []))
        exist.sandbox.addToken("nothing", scopes: [], client: "other")
        let found = try response(of: exist.sandbox.baseURL, to: endpoint.sent[0].sent, as: "nothing")
        #expect(found?.body.contains(#""results":[]"#) == !endpoint.name.hasSuffix("/templates/"))
    }

    @Test("The models have exactly the fields that the sandbox sends, except for the listed ones")
    func fields() throws {
        let sandbox = exist.sandbox
        // This user has every flag set.
        sandbox.addToken("flags", username: "user-74")
        let requests: [FieldRequest] = EndpointCase.all.flatMap { endpoint in
            SentCall.all.filter { $0.endpoint == endpoint.name }.map { ($0.sent, endpoint.checkEncoded) }
        }
        try checkFields(
            of: "ExistKit", at: sandbox.baseURL, as: ["flags"], requests,
            // `user_attribute` is encoded under its other name. A model of a written item has only the fields that
            // identify it.
            notRead: [
                "Average.user_attribute", "FailedAttribute.group", "FailedAttribute.manual",
                "FailedAttribute.value_type", "SuccessfulAttribute.manual", "SuccessfulAttribute.service",
            ],
            notSent: [
                "Attribute.unreadableValues", "Correlation.attributeCategory", "Correlation.description",
                "Correlation.occurrence", "FailedAttribute.index", "FailedAttribute.sent", "UpdatedAttribute.index",
            ],
            routes: sandbox.routes.map { "\($0.method) \($0.path)" }.filter {
                $0.contains(" /api/2/") && !$0.contains("simple-token")
            })
    }

    @Test("Each call sends its parameters as the table lists them", arguments: SentCall.all)
    func sends(row: SentCall) async throws {
        _ = await row.call(exist.existAPI).settled().value
        let request = try #require(exist.sandbox.server.requests.first)
        let body = String(decoding: request.body, as: UTF8.self)
        #expect("\(request.method) \(request.target)" + (body.isEmpty ? "" : " \(body)") == row.sent)
        #expect(request.headers["Content-Type"] == (body.isEmpty ? nil : "application/json"))
        #expect(request.headers["Accept"] == "application/json")
        #expect(request.headers["Authorization"] == "Bearer \(exist.sandbox.token)")
    }
}
