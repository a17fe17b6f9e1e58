import Foundation
import Testing

@testable import MyDataHelpsKit

@Suite("Header and date formats", .serialized)
struct IntroductionTests {
    @Test(
        "A locale's identifier becomes a language tag of language and region",
        arguments: [
            ("sv_SE", "sv-SE"), ("en", "en"), ("zh-Hans_CN", "zh-CN"), ("zh_Hant_TW", "zh-TW"), ("es_419", "es-419"),
            ("en_US@calendar=buddhist", "en-US"), ("en_US_POSIX", "en-US"), ("fil_PH", "fil-PH"),
            ("", "en"), ("C.UTF-8", "en"),
        ])
    func language(identifier: String, tag: String) {
        #expect(LanguageTag.make(from: identifier) == tag)
    }

    @Test("The user agent names app, kit, device, and system, with placeholders for unknown ones")
    func userAgent() {
        #expect(
            UserAgent.make(app: "org.example.app", version: "1.4", device: "iPhone15,3", system: "17.6.1")
                == "org.example.app/1.4 MyDataHelpsKit/2.0.0 iPhone15,3 (17.6.1)")
        #expect(
            UserAgent.make(app: nil, version: nil, device: nil, system: "6.1.0")
                == "UNKNOWN_CLIENT MyDataHelpsKit/2.0.0 UNKNOWN_DEVICE (6.1.0)")
        #expect(!UserAgent.current.contains("UNKNOWN_DEVICE") && !UserAgent.current.contains("\0"))
    }

    @Test("Characters that would end a header are removed from the user agent and the language tag")
    func headerInjection() {
        let agent = UserAgent.make(app: "a\r\nX: y~\u{7F}", version: "1 2", device: "é", system: "1")
        #expect(agent == "aX:y~/12 MyDataHelpsKit/2.0.0 UNKNOWN_DEVICE (1)")
        #expect(MyDataHelpsClient(languageTag: "sv\r\nX: y").languageTag == "svXy")
    }

    @Test("A date is written with milliseconds, or with microseconds if it was read with microseconds")
    func dates() throws {
        for text in ["2024-03-02T10:11:12.131Z", "2024-03-02T10:11:12.123456Z"] {
            #expect(ServiceDate.exactText(try timestamp(text)) == text)
        }
        #expect(ServiceDate.text(Date(timeIntervalSince1970: 1_709_374_272.131)) == "2024-03-02T10:11:12.131Z")
        #expect(ServiceDate.text(Date(timeIntervalSince1970: -0.001)) == "1969-12-31T23:59:59.999Z")
        #expect(ServiceDate.text(Date(timeIntervalSince1970: 951_782_399.9996)) == "2000-02-29T00:00:00.000Z")
        #expect(ServiceDate.text(.distantFuture) == "4001-01-01T00:00:00.000Z")
        #expect(ServiceDate.text(.distantPast) == "0001-01-01T00:00:00.000Z")
    }
}
