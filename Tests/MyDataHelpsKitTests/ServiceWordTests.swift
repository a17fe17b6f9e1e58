import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

@Suite("The service's words and dates", .serialized)
struct ServiceWordTests {
    @Test("Every known word is written as the service writes it")
    func known() throws {
        var listed: Set<String> = []
        func check<Word: ServiceWord>(_ words: Word..., as texts: String...) {
            #expect(words.map(\.rawValue) == texts)
            listed.formUnion(texts)
        }
        check(
            DeviceDataNamespace.project, .fitbit, .appleHealth, .googleFit, .airNowApi, .weatherBit, .omron, .garmin,
            as: "Project", "Fitbit", "AppleHealth", "GoogleFit", "AirNowApi", "WeatherBit", "Omron", "Garmin")
        check(
            DeviceDataNamespace.googleHealth, .healthConnect, .oura, .dexcom,
            as: "GoogleHealth", "HealthConnect", "Oura", "Dexcom")
        check(SurveyTaskStatus.incomplete, .complete, .closed, as: "incomplete", "complete", "closed")
        check(
            NotificationSendStatusCode.succeeded, .unsubscribed, .missingContactInfo, .noRegisteredMobileDevice,
            as: "Succeeded", "Unsubscribed", "MissingContactInfo", "NoRegisteredMobileDevice")
        check(
            NotificationSendStatusCode.noAssociatedUser, .serviceError, .pastNotificationEndDate,
            as: "NoAssociatedUser", "ServiceError", "PastNotificationEndDate")
        check(ParticipantGender.female, .male, .other, as: "F", "M", "O")
        check(
            ProjectType.researchStudy, .wellnessProgram, .clinicalProgram,
            as: "Research Study", "Wellness Program", "Clinical Program")
        check(
            ExternalAccountProviderCategory.provider, .healthPlan, .deviceManufacturer,
            as: "Provider", "Health Plan", "Device Manufacturer")
        check(
            ExternalAccountStatus.error, .fetchComplete, .fetchingData, .unauthorized,
            as: "error", "fetchComplete", "fetchingData", "unauthorized")
        check(EmbeddableSurveyCompletionReason.completed, .closed, as: "Completed", "Closed")
        #expect(SurveyTaskQuery.SortOrder.allCases.map(\.rawValue) == ["Ascending", "Descending"])
        #expect(NotificationType.allCases.map(\.rawValue) == ["Sms", "Push", "Email"])
        #expect(SurveyOutcome.allCases.map(\.rawValue) == ["Completed", "Discarded", "Saved"])
        let sources = try Repository.paths(below: "Sources/MyDataHelpsKit", ending: ".swift").map {
            try Repository.text("Sources/MyDataHelpsKit/\($0)")
        }
        let declared = sources.joined().matches(of: #/static let \w+ = \w+\(rawValue: "(.*)"\)/#).map { String($0.1) }
        #expect(declared.count > 30 && Set(declared).subtracting(listed) == [])
    }

    @Test("An unknown word is decoded, and encoded unchanged")
    func unknown() throws {
        let words = try decode([DeviceDataNamespace].self, #"["Withings", "Project"]"#)
        #expect(words == [DeviceDataNamespace(rawValue: "Withings"), .project])
        #expect(String(decoding: try JSONEncoder().encode(words), as: UTF8.self) == #"["Withings","Project"]"#)
        #expect("\(words[0])" == "Withings")
    }

    @Test(
        "A date decodes with any fraction and any offset",
        arguments: [
            ("2024-03-02T10:11:12Z", 0), ("2024-03-02T06:11:12.131-04:00", 0.131),
            ("2024-03-02T15:56:12.123456789+0545", 0.123456789),
        ])
    func dates(text: String, fraction: Double) throws {
        #expect(abs(try timestamp(text).timeIntervalSince1970 - 1_709_374_272 - fraction) < 1e-6)
    }

    @Test(
        "Text that isn't a date with a time zone is an error, or nil where the date is optional",
        arguments: ["2024-03-02T10:11:12", "2024-03-02", "", "soon"])
    func noMoment(text: String) throws {
        #expect(throws: DecodingError.self) { try timestamp(text) }
        let json = #"{"id": 1, "status": "error", "provider": {"id": 2, "name": "P"}, "lastRefreshDate": "\#(text)"}"#
        #expect(try decode(ExternalAccount.self, json).lastRefreshDate == nil)
    }
}
