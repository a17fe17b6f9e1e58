import Foundation
import MyDataHelpsKit
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Queries and pages", .serialized)
struct QueryTests {
    private let mdh: MyDataHelpsCase
    init() throws { mdh = try MyDataHelpsCase() }

    @Test("Identifiers may be strings, as in version 1")
    func version1() async throws {
        let (survey, result, page) = ("s", "r", "p")
        #expect(SurveyTaskQuery(surveyID: survey, pageID: page).surveyID?.value == "s")
        #expect(SurveyAnswersQuery(surveyResultID: result, surveyID: survey).surveyResultID?.value == "r")
        #expect(DeviceDataQuery(namespace: .project, pageID: page).pageID?.value == "p")
        #expect(NotificationHistoryQuery(pageID: page).pageID?.value == "p")
        #expect(SurveyTaskQuery().surveyID == nil && SurveyAnswersQuery().pageID == nil)
        #expect(ExternalAccountProvidersResultPage(externalAccountProviders: [], totalCount: 0).pageNumber == 0)
        #expect(try JSONDecoder().decode([Survey.ID].self, from: Data(#"["s"]"#.utf8)) == [Survey.ID("s")])
        let text = EndpointCase.resultID.value
        try await finish { mdh.session.deleteSurveyResult(surveyResultID: text, completion: $0) }.get()
        #expect(mdh.targets.count == 1)
    }

    @Test(
        "A request's path is appended to the base URL's path, and its timeout is half a minute",
        arguments: ["", "/", "/?x=1#y"])
    func joining(end: String) async throws {
        /// A transport that records the requests and fails them as unreachable.
        struct Nobody: HTTPTransport {
            let asked = Recorder<OutgoingRequest>()
            func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
                asked.append(request)
                return Promise(error: TransportError.unreachable("nobody is there"))
            }
        }
        let nobody = Nobody()
        let options = MyDataHelpsClient.defaultOptions.with { ($0.transport, $0.retry) = (nobody, .never) }
        let client = MyDataHelpsClient(baseURL: try url("https://example.com/api\(end)"), options: options)
        let session = ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: "t"))
        await #expect(throws: MyDataHelpsError.self) { try await session.getParticipantInfo() }
        let asked = nobody.asked.all.map { "\($0.url) \($0.timeout)" }
        #expect(client.baseURL.absoluteString == "https://example.com/api/")
        #expect(asked == ["https://example.com/api/api/v1/delegated/participant 30.0"])
    }

    @Test("`page(after:)` keeps every filter, until there are no more pages")
    func pages() async throws {
        var query: DeviceDataQuery? = DeviceDataQuery(namespace: .fitbit, types: ["Steps", "SleepMinutes"], limit: 50)
        var sizes: [Int] = []
        while let next = query {
            let page = try await mdh.session.queryDeviceData(next)
            sizes.append(page.count)
            query = next.page(after: page)
        }
        #expect(sizes == [50, 50, 20])
        let filters = try #require(mdh.targets.first)
        #expect(filters.contains("namespace=Fitbit") && filters.contains("Steps"))
        #expect(mdh.targets.dropFirst().allSatisfy { $0.hasPrefix("\(filters)&pageID=") }, "\(mdh.targets)")
    }

    @Test("The error of a later page says how many items were read before it")
    func progress() async throws {
        mdh.sandbox.server.script.next(.max) { $0.queryValue("pageID") == nil ? nil : .empty(500) }
        let error = await mdh.session.pages(SurveyAnswersQuery(limit: 10)).items().failure()
        #expect("\(try #require(error as? MyDataHelpsError))".contains("(10 items on 1 page were read before)"))
    }

    @Test("Unreadable items are reported by the client, and returned with the page or the settings")
    func unreadable() async throws {
        let types = #"[7, {"namespace": "Fitbit", "type": "Steps"}]"#
        mdh.answer("GET /api/v1/delegated/notifications", #"{"notifications": [{"id": 7}], "nextPageID": null}"#)
        mdh.answer("GET /api/v1/delegated/datacollectionsettings", #"{"queryableDeviceDataTypes": \#(types)}"#)
        let page = try await mdh.session.queryNotifications(NotificationHistoryQuery())
        let settings = try await mdh.session.getDataCollectionSettings()
        #expect(page.isEmpty && page.unreadable.count == 1 && settings.unreadable.map(\.index) == [0])
        #expect(settings.queryableDeviceDataTypes == [QueryableDeviceDataType(namespace: .fitbit, type: "Steps")])
        #expect(settings.namespaces == ["Fitbit", "Project"])
        let reported = mdh.unreadable.all.map { $0.prefix { $0 != ":" } }
        #expect(
            reported == [
                "api/v1/delegated/notifications item 0", "api/v1/delegated/datacollectionsettings item 0",
            ])
    }
}
