import Foundation
import MyDataHelpsKit
import PledgeCoding
import PledgeTestSupport
import Testing

@Suite("A wrong value in any field of any sample")
struct HostileVariantTests {
    private static let needed: Set = [
        ".deviceDataPoints", ".externalAccountProviders", ".id", ".name", ".nextPageID", ".notifications",
        ".organization", ".organization.id", ".organization.name", ".participantID", ".participantIdentifier",
        ".projectID", ".surveyAnswers", ".surveyTasks",
    ]

    private static let neededByItem: Set = [
        ".airQualityEnabled", ".ehrEnabled", ".fitbitEnabled", ".weatherEnabled", "[]", "[].id", "[].provider",
        "[].provider.id", "[].provider.name", "[].status", ".deviceDataPoints", ".deviceDataPoints[]",
        ".deviceDataPoints[].id", ".deviceDataPoints[].insertedDate", ".deviceDataPoints[].modifiedDate",
        ".deviceDataPoints[].namespace", ".deviceDataPoints[].type", ".deviceDataPoints[].value",
        ".externalAccountProviders", ".externalAccountProviders[]", ".externalAccountProviders[].id",
        ".externalAccountProviders[].name", ".notifications", ".notifications[]", ".notifications[].id",
        ".notifications[].identifier", ".notifications[].sentDate", ".notifications[].statusCode",
        ".notifications[].type", ".queryableDeviceDataTypes", ".queryableDeviceDataTypes[]",
        ".queryableDeviceDataTypes[].namespace", ".queryableDeviceDataTypes[].type", ".surveyAnswers",
        ".surveyAnswers[]", ".surveyAnswers[].answers", ".surveyAnswers[].id", ".surveyAnswers[].insertedDate",
        ".surveyAnswers[].stepIdentifier", ".surveyAnswers[].surveyID", ".surveyAnswers[].surveyName",
        ".surveyAnswers[].surveyResultID", ".surveyTasks", ".surveyTasks[]", ".surveyTasks[].id",
        ".surveyTasks[].insertedDate", ".surveyTasks[].modifiedDate", ".surveyTasks[].status",
        ".surveyTasks[].surveyID", ".surveyTasks[].surveyName",
    ]

    /// Dates, flags, and the type of a notification.
    private static let strict: Set = [
        ".demographics.unsubscribedFromEmails", ".demographics.unsubscribedFromSms", ".deviceDataPoints[].insertedDate",
        ".deviceDataPoints[].modifiedDate", ".deviceDataPoints[].observationDate", ".deviceDataPoints[].startDate",
        ".enrollmentDate", ".notifications[].sentDate", ".notifications[].type", ".sensorDataCollectionEndDate",
        ".surveyAnswers[].date", ".surveyAnswers[].insertedDate", ".surveyTasks[].dueDate", ".surveyTasks[].endDate",
        ".surveyTasks[].insertedDate", ".surveyTasks[].modifiedDate", ".surveyTasks[].startDate", "[].lastRefreshDate",
    ]

    /// The endpoints that are not in the test: those of tokens and of a project, and an address.
    private static let without = [
        "POST api/v1/delegated/externalaccountproviders/{id}/connect", "POST identityserver/connect/token",
        "GET api/v1/administration/projects/{id}/participants",
        "GET api/v1/administration/projects/{id}/participants/{id}",
    ]

    private func check<Model: Decodable>(
        _ variants: inout HostileVariants, _ name: String, as type: Model.Type,
        _ reading: (Model) -> HostileVariants.Reading
    ) throws {
        let address = try url("https://example.org/")
        try variants.check(name, String(decoding: try sample(name), as: UTF8.self)) {
            reading(try HTTPReply(url: address, status: 200, body: $0).json(type))
        }
    }

    private func check<Page: ResultPageWithID>(
        _ variants: inout HostileVariants, page type: Page.Type, _ name: String
    ) throws where Page.Item: Equatable {
        try check(&variants, name, as: type) {
            HostileVariants.Reading(Array($0.items) + [$0.nextPageID?.value] as [any Equatable], $0.unreadable)
        }
    }

    @Test("It is what was sent, or as good as none; the other fields are unchanged, and few lose their item or page")
    func variants() throws {
        var variants = HostileVariants()
        let elsewhere = UnreadableItem(index: 0, reason: "")
        try check(&variants, page: DeviceDataResultPage.self, "devicedata_page1_200")
        try check(&variants, page: SurveyTaskResultPage.self, "surveytasks_page1_200")
        try check(&variants, page: SurveyTaskResultPage.self, "surveytasks_1x_200")
        try check(&variants, page: SurveyAnswersPage.self, "surveyanswers_page1_200")
        try check(&variants, "notifications_page1_200", as: NotificationHistoryPage.self) {
            // Of another type than the three, one is kept elsewhere.
            .init(
                $0.items + [$0.nextPageID?.value] as [any Equatable], $0.unreadable + $0.others.map { _ in elsewhere })
        }
        try check(&variants, "participant_200", as: ParticipantInfo.self) { .init([$0]) }
        try check(&variants, "project_200", as: ProjectInfo.self) { .init([$0]) }
        try check(&variants, "datacollectionsettings_200", as: ProjectDataCollectionSettings.self) {
            .init([$0], $0.unreadable)
        }
        try check(
            &variants, "externalaccountproviders_page0_200", as: ExternalAccountProvidersResultPage.APIResponse.self
        ) { .init($0.externalAccountProviders + [$0.totalExternalAccountProviders] as [any Equatable], $0.unreadable) }
        try check(&variants, "externalaccounts_200", as: ExternalAccountsPage.self) {
            .init($0.items, $0.unreadable)
        }

        #expect(variants.silentChanges == [])
        let missing = EndpointCase.all.filter { !$0.samples.isEmpty && variants.samples.isDisjoint(with: $0.samples) }
        #expect(missing.map(\.name) == Self.without)
        #expect(variants.needed == Self.needed)
        #expect(variants.neededByItem == Self.neededByItem)
        #expect(variants.strict == Self.strict)
    }
}
