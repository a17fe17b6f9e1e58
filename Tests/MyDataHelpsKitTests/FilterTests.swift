import Foundation
import MyDataHelpsKit
import PledgeSandbox
import Testing

@Suite("Filters", .serialized)
struct FilterTests {
    private func before(_ date: Date) -> Date { date.addingTimeInterval(-0.001) }
    private func after(_ date: Date) -> Date { date.addingTimeInterval(0.001) }

    @Test("Tasks are filtered by status, survey, name, and link, and sorted in either order")
    func tasks() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        func tasks(_ query: SurveyTaskQuery) async throws -> [SurveyTask] {
            try await mdh.session.pages(query).items().value
        }
        let all = try await tasks(SurveyTaskQuery())
        let one = try #require(all.first { $0.surveyName == "Sleep, weekly" })
        let open = all.filter { $0.status == .incomplete || $0.status == .closed }
        let weekly = all.filter { $0.surveyID == one.surveyID }

        #expect(all.map(\.insertedDate) == all.map(\.insertedDate).sorted(by: >) && open.count < all.count)
        #expect(try await tasks(SurveyTaskQuery(statuses: [.incomplete, .closed])) == open)
        #expect(try await tasks(SurveyTaskQuery(surveyID: one.surveyID)) == weekly)
        #expect(try await tasks(SurveyTaskQuery(surveyNames: ["Sleep, weekly", "Nothing"])) == weekly)
        #expect(try await tasks(SurveyTaskQuery(linkIdentifier: one.linkIdentifier)) == [one])
        #expect(try await tasks(SurveyTaskQuery(sortOrder: .dateAscending)) == all.reversed())
        #expect(try await tasks(SurveyTaskQuery(sortOrder: .dateDescending)) == all)
        #expect(weekly.count > 1 && weekly.count < all.count)
    }

    @Test("Answers are filtered by result, survey, name, step, item, and text, and by date given or inserted")
    func answers() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        func answers(_ query: SurveyAnswersQuery) async throws -> [SurveyAnswer] {
            try await mdh.session.pages(query).items().value
        }
        let all = try await answers(SurveyAnswersQuery())
        let one = try #require(all.first { !$0.answers.isEmpty && $0.surveyName == "Sleep, weekly" })
        let date = try #require(one.date)
        func matching(_ isMatch: (SurveyAnswer) -> Bool) -> [SurveyAnswer] {
            let some = all.filter(isMatch)
            #expect(!some.isEmpty && some.count < all.count)
            return some
        }

        #expect(
            try await answers(SurveyAnswersQuery(surveyResultID: one.surveyResultID))
                == matching { $0.surveyResultID == one.surveyResultID })
        #expect(
            try await answers(SurveyAnswersQuery(surveyID: one.surveyID)) == matching { $0.surveyID == one.surveyID })
        #expect(
            try await answers(SurveyAnswersQuery(surveyNames: [one.surveyName]))
                == matching { $0.surveyName == one.surveyName })
        #expect(
            try await answers(SurveyAnswersQuery(stepIdentifiers: [one.stepIdentifier]))
                == matching { $0.stepIdentifier == one.stepIdentifier })
        #expect(
            try await answers(SurveyAnswersQuery(resultIdentifiers: [one.resultIdentifier]))
                == matching { $0.resultIdentifier == one.resultIdentifier })
        #expect(
            try await answers(SurveyAnswersQuery(answers: ["Coffee, black"]))
                == matching { $0.answers.contains("Coffee, black") })
        #expect(try await answers(SurveyAnswersQuery(after: before(date), before: after(date))).contains(one))
        #expect(try await answers(SurveyAnswersQuery(after: date)) == matching { $0.date ?? .distantPast > date })
        #expect(try await answers(SurveyAnswersQuery(before: date)) == matching { $0.date ?? .distantFuture < date })
        let inserted = one.insertedDate
        #expect(
            try await answers(SurveyAnswersQuery(insertedAfter: inserted)) == matching { $0.insertedDate > inserted })
        #expect(
            try await answers(SurveyAnswersQuery(insertedBefore: inserted)) == matching { $0.insertedDate < inserted })
    }

    @Test("Notifications are filtered by identifier, type, and status, and by the date they were sent")
    func notifications() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        func sent(_ query: NotificationHistoryQuery) async throws -> [NotificationHistoryModel] {
            try await mdh.session.pages(query).items().value
        }
        let all = try await sent(NotificationHistoryQuery())
        let date = try #require(all.dropFirst(10).first).sentDate
        func matching(_ isMatch: (NotificationHistoryModel) -> Bool) -> [NotificationHistoryModel] {
            let some = all.filter(isMatch)
            #expect(!some.isEmpty && some.count < all.count)
            return some
        }

        #expect(
            try await sent(NotificationHistoryQuery(identifier: "WeeklySms"))
                == matching { $0.identifier == "WeeklySms" })
        #expect(try await sent(NotificationHistoryQuery(type: .email)) == matching { $0.type == .email })
        #expect(
            try await sent(NotificationHistoryQuery(statusCode: .missingContactInfo))
                == matching { $0.statusCode == .missingContactInfo })
        #expect(try await sent(NotificationHistoryQuery(sentAfter: date)) == matching { $0.sentDate > date })
        #expect(try await sent(NotificationHistoryQuery(sentBefore: date)) == matching { $0.sentDate < date })
    }

    @Test("Device data is filtered by type, and by the date it was observed or modified")
    func deviceData() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        func points(_ query: DeviceDataQuery) async throws -> [DeviceDataPoint] {
            try await mdh.session.pages(query).items().value
        }
        let all = try await points(DeviceDataQuery(namespace: .fitbit))
        let one = try #require(all.dropFirst(20).first)
        let observed = try #require(one.observationDate)
        let changed = one.modifiedDate
        func matching(_ isMatch: (DeviceDataPoint) -> Bool) -> [DeviceDataPoint] {
            let some = all.filter(isMatch)
            #expect(!some.isEmpty && some.count < all.count)
            return some
        }

        #expect(
            try await points(DeviceDataQuery(namespace: .fitbit, types: [one.type]))
                == matching { $0.type == one.type })
        #expect(
            try await points(DeviceDataQuery(namespace: .fitbit, observedAfter: observed))
                == matching { $0.observationDate ?? .distantPast > observed })
        #expect(
            try await points(DeviceDataQuery(namespace: .fitbit, observedBefore: observed))
                == matching { $0.observationDate ?? .distantFuture < observed })
        #expect(
            try await points(DeviceDataQuery(namespace: .fitbit, modifiedAfter: changed))
                == matching { $0.modifiedDate > changed })
        #expect(
            try await points(DeviceDataQuery(namespace: .fitbit, modifiedBefore: changed))
                == matching { $0.modifiedDate < changed })
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
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
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
