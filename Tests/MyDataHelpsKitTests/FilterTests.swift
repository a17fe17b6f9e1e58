import Foundation
import MyDataHelpsKit
import PledgeSandbox
import Testing

@Suite("Filters", .serialized)
struct FilterTests {
    private let mdh: MyDataHelpsCase
    init() throws { mdh = try MyDataHelpsCase() }

    private func before(_ date: Date) -> Date { date.addingTimeInterval(-0.001) }
    private func after(_ date: Date) -> Date { date.addingTimeInterval(0.001) }

    /// Checks that each query returns the items that match, which must be some of them, but not all.
    private func check<Query: PagedQuery>(
        _ filters: [(Query, (Query.Page.Element) -> Bool)], of all: [Query.Page.Element]
    ) async throws where Query.Page.Element: Equatable {
        for (query, isMatch) in filters {
            let some = all.filter(isMatch)
            #expect(!some.isEmpty && some.count < all.count, "\(query)")
            #expect(try await items(query) == some, "\(query)")
        }
    }

    private func items<Query: PagedQuery>(_ query: Query) async throws -> [Query.Page.Element] {
        try await mdh.session.pages(query).items().value
    }

    @Test("Tasks are filtered by status, survey, name, and link, and sorted in either order")
    func tasks() async throws {
        let all = try await items(SurveyTaskQuery())
        let one = try #require(all.first { $0.surveyName == "Sleep, weekly" })
        let open = all.filter { $0.status == .incomplete || $0.status == .closed }
        let weekly = all.filter { $0.surveyID == one.surveyID }

        #expect(all.map(\.insertedDate) == all.map(\.insertedDate).sorted(by: >) && open.count < all.count)
        #expect(try await items(SurveyTaskQuery(statuses: [.incomplete, .closed])) == open)
        #expect(try await items(SurveyTaskQuery(surveyID: one.surveyID)) == weekly)
        #expect(try await items(SurveyTaskQuery(surveyNames: ["Sleep, weekly", "Nothing"])) == weekly)
        #expect(try await items(SurveyTaskQuery(linkIdentifier: one.linkIdentifier)) == [one])
        #expect(try await items(SurveyTaskQuery(sortOrder: .dateAscending)) == all.reversed())
        #expect(try await items(SurveyTaskQuery(sortOrder: .dateDescending)) == all)
        #expect(weekly.count > 1 && weekly.count < all.count)
    }

    @Test("Answers are filtered by result, survey, name, step, item, and text, and by date given or inserted")
    func answers() async throws {
        let all = try await items(SurveyAnswersQuery())
        let one = try #require(all.first { !$0.answers.isEmpty && $0.surveyName == "Sleep, weekly" })
        let (date, inserted) = (try #require(one.date), one.insertedDate)

        let filters: [(SurveyAnswersQuery, (SurveyAnswer) -> Bool)] = [
            (.init(surveyResultID: one.surveyResultID), { $0.surveyResultID == one.surveyResultID }),
            (.init(surveyID: one.surveyID), { $0.surveyID == one.surveyID }),
            (.init(surveyNames: [one.surveyName]), { $0.surveyName == one.surveyName }),
            (.init(stepIdentifiers: [one.stepIdentifier]), { $0.stepIdentifier == one.stepIdentifier }),
            (.init(resultIdentifiers: [one.resultIdentifier]), { $0.resultIdentifier == one.resultIdentifier }),
            (.init(answers: ["Coffee, black"]), { $0.answers.contains("Coffee, black") }),
            (.init(after: date), { $0.date ?? .distantPast > date }),
            (.init(before: date), { $0.date ?? .distantFuture < date }),
            (.init(insertedAfter: inserted), { $0.insertedDate > inserted }),
            (.init(insertedBefore: inserted), { $0.insertedDate < inserted }),
        ]
        try await check(filters, of: all)
        #expect(try await items(SurveyAnswersQuery(after: before(date), before: after(date))).contains(one))
    }

    @Test("Notifications are filtered by identifier, type, and status, and by the date they were sent")
    func notifications() async throws {
        let all = try await items(NotificationHistoryQuery())
        let date = try #require(all.dropFirst(10).first).sentDate

        let filters: [(NotificationHistoryQuery, (NotificationHistoryModel) -> Bool)] = [
            (.init(identifier: "WeeklySms"), { $0.identifier == "WeeklySms" }),
            (.init(type: .email), { $0.type == .email }),
            (.init(statusCode: .missingContactInfo), { $0.statusCode == .missingContactInfo }),
            (.init(sentAfter: date), { $0.sentDate > date }),
            (.init(sentBefore: date), { $0.sentDate < date }),
        ]
        try await check(filters, of: all)
    }

    @Test("Device data is filtered by type, and by the date it was observed or modified")
    func deviceData() async throws {
        let all = try await items(DeviceDataQuery(namespace: .fitbit))
        let one = try #require(all.dropFirst(20).first)
        let observed = try #require(one.observationDate)
        let changed = one.modifiedDate

        let filters: [(DeviceDataQuery, (DeviceDataPoint) -> Bool)] = [
            (.init(namespace: .fitbit, types: [one.type]), { $0.type == one.type }),
            (.init(namespace: .fitbit, observedAfter: observed), { $0.observationDate ?? .distantPast > observed }),
            (.init(namespace: .fitbit, observedBefore: observed), { $0.observationDate ?? .distantFuture < observed }),
            (.init(namespace: .fitbit, modifiedAfter: changed), { $0.modifiedDate > changed }),
            (.init(namespace: .fitbit, modifiedBefore: changed), { $0.modifiedDate < changed }),
        ]
        try await check(filters, of: all)
    }

    @Test("The pages of providers end when their count is reached, not one page later")
    func lastPage() {
        let query = ExternalAccountProvidersQuery(search: "s", category: .provider, limit: 25)
        func page(_ number: Int) -> ExternalAccountProvidersResultPage {
            ExternalAccountProvidersResultPage(externalAccountProviders: [], totalCount: 50, pageNumber: number)
        }

        #expect(
            query.page(after: page(0))
                == ExternalAccountProvidersQuery(search: "s", category: .provider, limit: 25, pageNumber: 1))
        #expect(query.page(after: page(1)) == nil && query.page(after: page(.max)) == nil)
    }

    @Test("A total of providers that is missing or too small does not end the list while its pages are full")
    func wrongTotal() async throws {
        for total in ["", #""totalExternalAccountProviders": 1, "#] {
            for (first, count) in [(0, 2), (2, 2), (4, 1)] {
                let items = (first..<first + count).map {
                    #"{"id": \#($0), "name": "p\#($0)", "category": "Provider"}"#
                }
                mdh.answer(
                    "GET /api/v1/delegated/externalaccountproviders",
                    "{\(total)\"externalAccountProviders\": [\(items.joined(separator: ", "))]}")
            }
            let all = try await mdh.session.pages(ExternalAccountProvidersQuery(limit: 2)).items().value
            #expect(all.map(\.name) == ["p0", "p1", "p2", "p3", "p4"])
        }
    }
}
