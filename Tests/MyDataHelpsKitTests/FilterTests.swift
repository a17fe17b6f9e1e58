import Foundation
import MyDataHelpsKit
import PledgeSandbox
import Testing

@Suite("Filters", .serialized)
struct FilterTests {
    private let mdh: MyDataHelpsCase
    init() throws { mdh = try MyDataHelpsCase() }

    private func items<Query: PagedQuery>(_ query: Query) async throws -> [Query.Page.Element] {
        try await mdh.session.pages(query).items().value
    }

    @Test("Tasks are sorted in either order, and filtered by several statuses or names")
    func tasks() async throws {
        let all = try await items(SurveyTaskQuery())
        let open = all.filter { $0.status == .incomplete || $0.status == .closed }
        let weekly = all.filter { $0.surveyName == "Sleep, weekly" }

        #expect(all.map(\.insertedDate) == all.map(\.insertedDate).sorted(by: >) && open.count < all.count)
        #expect(try await items(SurveyTaskQuery(statuses: [.incomplete, .closed])) == open)
        #expect(try await items(SurveyTaskQuery(surveyNames: ["Sleep, weekly", "Nothing"])) == weekly)
        #expect(try await items(SurveyTaskQuery(sortOrder: .dateAscending)) == all.reversed())
        #expect(try await items(SurveyTaskQuery(sortOrder: .dateDescending)) == all)
    }

    @Test("Answers of one moment are between two limits a millisecond apart from it")
    func limits() async throws {
        let all = try await items(SurveyAnswersQuery())
        let one = try #require(all.first { $0.date != nil })
        let (before, after) = (one.date?.addingTimeInterval(-0.001), one.date?.addingTimeInterval(0.001))
        #expect(try await items(SurveyAnswersQuery(after: before, before: after)).contains(one))
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
