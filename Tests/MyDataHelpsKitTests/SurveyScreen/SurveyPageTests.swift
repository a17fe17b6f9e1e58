import Foundation
import PledgeSandbox
import Testing

@testable import MyDataHelpsKit

@Suite("Survey pages", .serialized)
struct SurveyPageTests {
    /// Decodes the model in the page's script.
    private func model(_ page: SurveyPage) throws -> [String: String] {
        let line = try #require(page.html.split(separator: "\n").first { $0.hasPrefix("const model = ") })
        let json = line.dropFirst("const model = ".count).dropLast()
        return try JSONDecoder().decode([String: String].self, from: Data(json.utf8))
    }

    @Test(
        "A survey's page contains the survey's URL, the service's URL, the token, and the participant's identifier"
    )
    func whole() async throws {
        let mdh = try MyDataHelpsCase(languageTag: "sv-SE")
        let page = try await mdh.session.surveyPresentation(surveyName: "Sleep, weekly").page().value
        #expect(
            try model(page) == [
                "frameURL": "\(mdh.sandbox.baseURL)survey?surveyName=Sleep%2C%20weekly&lang=sv-SE",
                "baseURL": mdh.sandbox.baseURL.absoluteString, "accessToken": mdh.sandbox.token,
                "participantID": mdh.sandbox.participantID,
            ])
        let changed = mdh.session.surveyPresentation(surveyName: "a", editResultID: .init("r&1"), event: "V 2")
        #expect(changed.frameURL.hasSuffix("/survey?surveyName=a&lang=sv-SE&editResultID=r%261&event=V%202"))
        #expect(page.baseURL == mdh.sandbox.baseURL && page.html.contains(#"<html lang="sv-SE">"#))
        #expect(!"\(page)".contains(mdh.sandbox.token))
        // The viewport is that of the vendor's page. With `viewport-fit=cover`, buttons of the survey would lie under
        // the notch.
        #expect(page.html.contains(#"content="width=device-width, initial-scale=1, user-scalable=no""#))
    }

    @Test(
        "Quotes and tags in a survey's name or language are escaped in its page",
        arguments: ["</script><script>alert(1)</script>", "\"'`\\ \u{2028}\u{2029} <!--", "a/b?c#d&e=+%"])
    func hostile(name: String) async throws {
        let mdh = try MyDataHelpsCase(languageTag: "sv\"><script>é")
        let page = try await mdh.session.surveyPresentation(surveyName: name).page().value
        let frameURL = try #require(try model(page)["frameURL"])
        let address = try #require(URLComponents(string: frameURL))
        #expect(address.queryItems?.first { $0.name == "surveyName" }?.value == name)
        #expect(page.html.components(separatedBy: "<script>").count == 2)
        #expect(page.html.components(separatedBy: "</script>").count == 2)
        #expect(page.html.contains(#"<html lang="svscript">"#))
        #expect(!page.html.unicodeScalars.contains("\u{2028}") && !page.html.unicodeScalars.contains("\u{2029}"))
    }

    @Test(
        "Every part of a survey link is percent-encoded, and plain HTTP is allowed only to this machine",
        arguments: [
            (
                "https://example.org/api", "a/b?c#d%é",
                "/api/mydatahelps/p%2F1/surveylink/a%2Fb%3Fc%23d%25%C3%A9?lang=sv-SE"
            ),
            ("http://localhost/", "a", "/mydatahelps/p%2F1/surveylink/a?lang=sv-SE"),
            ("https://example.org/", "", nil), ("https://example.org/", ".", nil), ("https://example.org/", "..", nil),
            ("http://my.example/", "a", nil), ("http://127.0.0.1.evil.example/", "a", nil),
            ("ftp://my.example/", "a", nil),
        ])
    func links(base: String, name: String, end: String?) throws {
        let client = MyDataHelpsClient(baseURL: try url(base), languageTag: "sv-SE")
        let survey = EmbeddableSurvey(client: client, surveyName: name, participantLinkIdentifier: "p/1")
        let task = EmbeddableSurvey(client: client, taskLinkIdentifier: name, participantLinkIdentifier: "p/1")
        guard let end else {
            #expect(throws: MyDataHelpsError.self) { try survey.url() }
            return
        }
        #expect(try survey.url().absoluteString.hasSuffix("\(client.baseURL.host ?? "")\(end)"))
        #expect(try survey.url().scheme == url(base).scheme)
        let address = try survey.url().absoluteString.replacingOccurrences(of: "/surveylink/", with: "/tasklink/")
        #expect(try task.url().absoluteString == address)
    }
}
