import Foundation
import Testing

@testable import MyDataHelpsKit

@Suite("Messages for a survey's page", .serialized)
struct SurveySenderTests {
    @Test(
        "A message is accepted only from the main frame while it shows the origin that was loaded",
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

    @Test("Messages are accepted from the page around a survey, and from a survey that is opened by its link")
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
}

@Suite("Links in a survey")
struct SurveyLinkTests {
    // No test needs a target for the link, because only the frame that contains the link matters, and not the frame in
    // which it would open.
    @Test(
        "Tapped web links in the survey's frame, and links that start a call or a message, open outside; others stay inside",
        arguments: [
            ("https://example.org/help", "", true), ("http://example.org/", "", true),
            ("mailto:a@example.org", "", true),
            ("tel:988", "main", true), ("TEL:988", "main", true), ("sms:741741", "main", true),
            ("mailto:a@example.org", "main", true), ("https://example.org/", "main", false),
            ("https://example.org/", "loaded", false), ("https://example.org/", "POST", false),
            ("javascript:void(0)", "", false), ("data:text/html,x", "", false), ("file:///etc/hosts", "", false),
            ("other-app://x", "", false),
        ])
    func outside(address: String, how: String, isOutside: Bool) throws {
        var request = URLRequest(url: try url(address))
        request.httpMethod = how == "POST" ? how : "GET"
        let outside = SurveyContent.outside(request, isTapped: how != "loaded", isInMainFrame: how == "main")
        #expect(try outside == (isOutside ? url(address) : nil))
    }
}
