import Foundation
import MyDataHelpsKit
import PledgeSandbox
import Testing

// The listings of the vendor's three documents, with the calls exactly as they are written there. The tests check first
// of all that these listings compile. The code of the screens is omitted. `Vendor/use.py` tests that each symbol can be
// used.

@Suite("The vendor's own listings", .serialized)
struct VendorListingTests {
    private let mdh: MyDataHelpsCase
    init() throws { mdh = try MyDataHelpsCase() }

    @Test("The setup that all versions share compiles and works")
    func setUp() {
        let _: String = MyDataHelpsClient.SDKVersion
        let client = MyDataHelpsClient()
        let _ = MyDataHelpsClient(baseURL: nil)
        let session = ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: "t"))
        // This call isn't asynchronous, unlike all other calls of version 2.
        let _: (String) -> SurveyPresentation = session.surveyPresentation(surveyName:)
        let presentation = session.surveyPresentation(surveyName: "DailyMood")
        #expect(presentation.surveyName == "DailyMood" && presentation.languageTag == client.languageTag)
        #expect(client.baseURL.absoluteString == "https://mydatahelps.org/")
    }

    @Test("Version 2: an external account is connected as in the programming guide")
    func connecting() async throws {
        let session = mdh.session
        let finalRedirectURL = try url("https://my.app/connected")
        let providers = try await session.queryExternalAccountProviders(
            ExternalAccountProvidersQuery(search: "åre", category: .provider))
        let selectedIndex = 0
        // The vendor's page indexes the result itself, which was possible in version 1. Both spellings work here.
        let provider = providers[selectedIndex]
        #expect(provider == providers.externalAccountProviders[selectedIndex])
        let authorization = try await session.connectExternalAccount(
            providerID: provider.id, finalRedirectURL: finalRedirectURL)
        let opened = try url("https://my.app/connected?status=connected")
        #expect(authorization.finalRedirectURL == finalRedirectURL && authorization.isFinalRedirect(opened))
        let accounts = try await session.listExternalAccounts()
        let account = try #require(accounts.first)
        try await session.refreshExternalAccount(account.id)
        try await session.deleteExternalAccount(account.id)
        let left = try await session.listExternalAccounts()
        #expect(!left.contains { $0.id == account.id })
    }

    @Test("Version 1: identifiers are plain values where code expects plain values, and typed everywhere else")
    func identifiers() {
        let date = MyDataHelpsCase.noon
        let task = SurveyTask(id: SurveyTask.ID("t"), surveyID: Survey.ID("s"), surveyName: "n", insertedDate: date)
        let answer = SurveyAnswer(
            id: SurveyAnswer.ID("a"), surveyResultID: SurveyResult.ID("r"), surveyID: Survey.ID("s"), surveyName: "n",
            stepIdentifier: "x", answers: [], insertedDate: date)
        let (text, surveys, link): (String, [String], String?) = (task.id, [answer.surveyID], answer.taskID)
        let account = ExternalAccountProvider(id: ExternalAccountProvider.ID(7), name: "P")
        let number: Int = account.id
        let page = SurveyTaskResultPage(items: [task], nextPageID: SurveyTaskResultPage.PageID("p"))
        let next: String? = SurveyTaskQuery(pageID: page.nextPageID).pageID
        #expect(answer.surveyVersion == 1 && !task.hasSavedProgress)
        #expect(text == "t" && surveys == ["s"] && link == nil && number == 7 && next == "p")
        #expect(task.id == "t" && task.id == SurveyTask.ID("t") && [task].map(\.id) == [SurveyTask.ID("t")])
        #expect(
            type(of: task.id) == SurveyTask.ID.self && type(of: page.nextPageID) == SurveyTaskResultPage.PageID?.self)
    }
}
