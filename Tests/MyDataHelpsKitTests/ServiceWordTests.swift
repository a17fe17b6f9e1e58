import Foundation
import MyDataHelpsKit
import Testing

@Suite("The service's words and dates", .serialized)
struct ServiceWordTests {
    private func words<Word: ServiceWord>(_ words: Word...) -> [String] { words.map(\.rawValue) }

    @Test("Every known word is written as the service writes it")
    func known() {
        #expect(
            words(DeviceDataNamespace.project, .fitbit, .appleHealth, .googleFit, .airNowApi, .weatherBit, .omron)
                == ["Project", "Fitbit", "AppleHealth", "GoogleFit", "AirNowApi", "WeatherBit", "Omron"])
        #expect(words(DeviceDataNamespace.garmin) == ["Garmin"])
        #expect(words(SurveyTaskStatus.incomplete, .complete, .closed) == ["incomplete", "complete", "closed"])
        #expect(SurveyTaskQuery.SortOrder.allCases.map(\.rawValue) == ["Ascending", "Descending"])
        #expect(NotificationType.allCases.map(\.rawValue) == ["Sms", "Push", "Email"])
        #expect(
            words(NotificationSendStatusCode.succeeded, .unsubscribed, .missingContactInfo, .noRegisteredMobileDevice)
                == ["Succeeded", "Unsubscribed", "MissingContactInfo", "NoRegisteredMobileDevice"])
        #expect(
            words(NotificationSendStatusCode.noAssociatedUser, .serviceError, .pastNotificationEndDate)
                == ["NoAssociatedUser", "ServiceError", "PastNotificationEndDate"])
        #expect(words(ParticipantGender.female, .male, .other) == ["F", "M", "O"])
        #expect(
            words(ProjectType.researchStudy, .wellnessProgram, .clinicalProgram)
                == ["Research Study", "Wellness Program", "Clinical Program"])
        #expect(
            words(ExternalAccountProviderCategory.provider, .healthPlan, .deviceManufacturer)
                == ["Provider", "Health Plan", "Device Manufacturer"])
        #expect(
            words(ExternalAccountStatus.error, .fetchComplete, .fetchingData, .unauthorized)
                == ["error", "fetchComplete", "fetchingData", "unauthorized"])
        #expect(words(EmbeddableSurveyCompletionReason.completed, .closed) == ["Completed", "Closed"])
        #expect(SurveyOutcome.allCases.map(\.rawValue) == ["Completed", "Discarded", "Saved"])
    }

    @Test("An unknown word is decoded, and encoded unchanged")
    func unknown() throws {
        let words = try decode([DeviceDataNamespace].self, #"["HealthConnect", "Project"]"#)

        #expect(words == [DeviceDataNamespace(rawValue: "HealthConnect"), .project])
        #expect(String(decoding: try JSONEncoder().encode(words), as: UTF8.self) == #"["HealthConnect","Project"]"#)
        #expect("\(words[0])" == "HealthConnect")
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
        "Text that is not a date with a time zone is an error, or none where the date is optional",
        arguments: ["2024-03-02T10:11:12", "2024-03-02", "", "soon"])
    func noMoment(text: String) throws {
        #expect(throws: DecodingError.self) { try timestamp(text) }
        let json = #"{"id": 1, "status": "error", "provider": {"id": 2, "name": "P"}, "lastRefreshDate": "\#(text)"}"#
        #expect(try decode(ExternalAccount.self, json).lastRefreshDate == nil)
    }
}
