import Foundation
import Testing

@testable import MyDataHelpsKit

@Suite("Senders that may speak for a survey's page", .serialized)
struct SurveySenderTests {
    @Test(
        "Only the main frame may, and only while it is of the origin that was loaded",
        arguments: [
            ("https://my.example/", true, "https", "my.example", 0, true),
            ("https://my.example/", true, "https", "my.example", 443, true),
            ("https://my.example:443/", true, "HTTPS", "My.Example", 0, true),
            ("https://my.example:8443/api/", true, "https", "my.example", 8443, true),
            ("http://127.0.0.1:8080/", true, "http", "127.0.0.1", 8080, true),
            ("http://[::1]:8080/", true, "http", "::1", 8080, true),
            ("http://[::1]:8080/", true, "http", "[::1]", 8080, true),
            ("https://my.example/", false, "https", "my.example", 0, false),
            ("https://my.example/", false, "https", "ads.example", 0, false),
            ("https://my.example/", true, "https", "ads.example", 0, false),
            ("https://my.example/", true, "https", "my.example.evil.example", 0, false),
            ("https://my.example/", true, "https", "sub.my.example", 0, false),
            ("https://my.example/", true, "http", "my.example", 0, false),
            ("https://my.example/", true, "https", "my.example", 8443, false),
            ("https://my.example:8443/", true, "https", "my.example", 0, false),
            ("https://my.example/", true, "", "", 0, false), ("https://my.example/", true, "file", "", 0, false),
            ("about:blank", true, "", "", 0, false), ("about:blank", true, "about", "", 0, false),
        ] as [(String, Bool, String, String, Int, Bool)])
    func senders(address: String, isMainFrame: Bool, scheme: String, host: String, port: Int, counts: Bool) throws {
        let content = SurveyContent.address(try url(address))

        #expect(content.accepts(isMainFrame: isMainFrame, scheme: scheme, host: host, port: port) == counts)
    }

    @Test("The page around a survey speaks for it, and a survey by link speaks for itself")
    func contents() async throws {
        let mdh = try MyDataHelpsCase()
        let base = mdh.sandbox.baseURL
        let page = try await mdh.session.surveyPresentation(surveyName: "DailyMood").page().value
        let survey = EmbeddableSurvey(client: mdh.client, surveyName: "DailyMood", participantLinkIdentifier: "p")
        let (scheme, host, port) = (try #require(base.scheme), try #require(base.host), try #require(base.port))

        for content in [SurveyContent.page(page), .address(try survey.url())] {
            #expect(content.accepts(isMainFrame: true, scheme: scheme, host: host, port: port))
            #expect(!content.accepts(isMainFrame: true, scheme: "https", host: "evil.example", port: 0))
        }
    }

    @Test("A participant's link uses https, or plain http only to this machine")
    func links() throws {
        func survey(_ address: String) throws -> EmbeddableSurvey {
            EmbeddableSurvey(
                client: MyDataHelpsClient(baseURL: try url(address)), surveyName: "a", participantLinkIdentifier: "p")
        }

        #expect(try survey("https://my.example/").url().scheme == "https")
        #expect(try survey("http://localhost:1/").url().scheme == "http")
        for address in ["http://my.example/", "http://127.0.0.1.evil.example/", "ftp://my.example/"] {
            #expect(throws: MyDataHelpsError.self) { try survey(address).url() }
        }
    }
}

@Suite("Links in a survey")
struct SurveyLinkTests {
    private func outside(
        _ address: String, tapped: Bool = true, main: Bool = false, method: String = "GET"
    ) throws -> URL? {
        var request = URLRequest(url: try url(address))
        request.httpMethod = method
        return SurveyContent.outside(request, isTapped: tapped, isInMainFrame: main)
    }

    @Test("One that is tapped inside the survey opens outside, whatever its target")
    func tapped() throws {
        // The target is not asked for: `_blank` has no frame, and that of `_top` is the page's.
        for address in ["https://example.org/help", "http://example.org/", "mailto:a@example.org"] {
            #expect(try outside(address) == url(address))
        }
    }

    @Test("A number to call or to write to opens outside, also in a survey that is the page itself")
    func numbers() throws {
        for address in ["tel:988", "TEL:988", "sms:741741", "mailto:a@example.org"] {
            #expect(try outside(address, main: true) == url(address))
        }
    }

    @Test("What the page loads itself, a form, a survey's next page, and an address of any other kind stay inside")
    func inside() throws {
        #expect(try outside("https://example.org/", tapped: false) == nil)
        #expect(try outside("https://example.org/", main: true) == nil)
        #expect(try outside("https://example.org/", method: "POST") == nil)
        #expect(try outside("javascript:void(0)") == nil && outside("data:text/html,x") == nil)
        #expect(try outside("file:///etc/hosts") == nil && outside("other-app://x") == nil)
    }
}
