import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A survey for a web view with the participant's token, as in version 2; on platforms with UIKit,
/// `SurveyViewController` displays it.
public struct SurveyPresentation: Sendable {
    /// The name of the survey inside the project.
    public let surveyName: String
    /// The language in which to display the survey.
    public let languageTag: String
    /// The result to change; nil for a new one.
    public let editResultID: SurveyResult.ID?
    /// The project's name for the occasion, which is stored with the result; nil if there is none.
    public let event: String?
    let session: ParticipantSession

    /// Creates the page to display, after fetching the participant's id and the token.
    public func page() -> Promise<SurveyPage> {
        session.call(.participant).then(on: nil) { participant -> Promise<SurveyPage> in
            session.token().map(on: nil) {
                try SurveyPage(self, accessToken: $0, participantID: participant.participantID)
            }
        }.mapError(on: nil) { MyDataHelpsError($0) }
    }

    var frameURL: String {
        let query: QueryItems = [
            "surveyName": surveyName, "lang": languageTag, "editResultID": editResultID?.value, "event": event,
        ]
        return "\(session.client.baseURL.absoluteString)survey?\(query.encoded)"
    }
}

extension ParticipantSession {
    /// Returns a survey to present, by its name inside the project. Completing it completes the participant's open task
    /// for it, if there is one.
    public func surveyPresentation(surveyName: String) -> SurveyPresentation {
        surveyPresentation(surveyName: surveyName, editResultID: nil)
    }

    /// Returns a survey to present, for changing a result or for an occasion, as the vendor's web SDK has it.
    ///
    /// - Parameters:
    ///   - surveyName: The name of the survey inside the project.
    ///   - editResultID: The result to change, from ``SurveyAnswer/surveyResultID``; nil for a new one.
    ///   - event: The project's name for the occasion, which is stored with the result.
    public func surveyPresentation(
        surveyName: String, editResultID: SurveyResult.ID?, event: String? = nil
    ) -> SurveyPresentation {
        SurveyPresentation(
            surveyName: surveyName, languageTag: client.languageTag, editResultID: editResultID, event: event,
            session: self)
    }
}

/// The way a participant left a survey.
public enum SurveyOutcome: String, Sendable, CaseIterable {
    /// The participant completed the survey, and it is saved.
    case completed = "Completed"
    /// The participant left the survey, and nothing is saved.
    case discarded = "Discarded"
    /// The participant left the survey, and the answers are saved for the task.
    case saved = "Saved"
}

/// The content to load into the web view.
public enum SurveyContent: Sendable {
    /// A document to display in the web view.
    case page(SurveyPage)
    /// A URL for the web view to load.
    case address(URL)
}

extension SurveyContent: Redacted {
    /// A description of the kind of content, never the token or the participant's link.
    public var description: String {
        switch self {
        case .page(let page): "\(page)"
        case .address: "the address of a survey"
        }
    }
}

extension SurveyContent {
    /// Returns whether messages from a frame are accepted: only from the loaded page at its origin, because any other
    /// frame could end a survey or forge its outcome. The port is 0 for the scheme's default.
    func accepts(isMainFrame: Bool, scheme: String, host: String, port: Int) -> Bool {
        let address: URL =
            switch self {
            case .page(let page): page.baseURL
            case .address(let url): url
            }
        // A web view may report an IPv6 address with or without brackets.
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        let origin = Origin(scheme: scheme, host: name, port: port == 0 ? nil : port)
        return isMainFrame && !host.isEmpty && origin == Origin(address)
    }

    /// Returns the URL of a link to open outside the web view; nil for what the web view loads itself. The link's
    /// target does not matter: a link to a new window has no frame, and one to the top would replace the page.
    ///
    /// - Parameter isInMainFrame: Whether the link is in the page itself, rather than in the survey's frame.
    static func outside(_ request: URLRequest, isTapped: Bool, isInMainFrame: Bool) -> URL? {
        guard isTapped, request.httpMethod ?? "GET" == "GET", let url = request.url else { return nil }
        switch url.scheme?.lowercased() {
        // A web view cannot open these; one may be that of a crisis line.
        case "tel", "sms", "mailto": return url
        case "https", "http": return isInMainFrame ? nil : url
        default: return nil
        }
    }
}

/// A page that displays a survey in a frame, passes it the token, and forwards its messages to the app. It accepts
/// messages only from that frame at the service's origin, and sends the token nowhere else.
public struct SurveyPage: Sendable {
    /// The HTML document. It contains the token: keep it out of logs and off the disk.
    public let html: String
    /// The base URL of the document, which makes its origin that of the service.
    public let baseURL: URL

    init(_ survey: SurveyPresentation, accessToken: String, participantID: ParticipantInfo.ID) throws {
        baseURL = survey.session.client.baseURL
        let model = [
            "frameURL": survey.frameURL, "baseURL": baseURL.absoluteString, "accessToken": accessToken,
            "participantID": participantID.value,
        ]
        html = Self.document(language: survey.languageTag, model: try Self.script(model))
    }

    /// Encodes a value for a script inside a page, where `</script>` would end it and two of Unicode's line separators
    /// would break a string.
    private static func script(_ model: [String: String]) throws -> String {
        try [("<", "\\u003c"), (">", "\\u003e"), ("\u{2028}", "\\u2028"), ("\u{2029}", "\\u2029")]
            .reduce(JSONEncoder.text(model)) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }

    private static func document(language: String, model: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="\(language)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1, user-scalable=no">
        <style>
        html, body { margin: 0; height: 100%; }
        iframe { position: fixed; inset: 0; width: 100%; height: 100%; border: 0; }
        </style>
        </head>
        <body>
        <iframe id="survey" allow="camera" sandbox="\(permissions)"></iframe>
        <script>
        "use strict";
        const model = \(model);
        \(listener)
        </script>
        </body>
        </html>
        """
    }

    private static let permissions =
        "allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-presentation allow-same-origin "
        + "allow-scripts"

    private static let listener = """
        const frame = document.getElementById("survey");
        const origin = new URL(model.baseURL).origin;
        function tell(name, body) { window.webkit.messageHandlers[name].postMessage(body); }
        window.addEventListener("message", function (event) {
            if (event.origin !== origin || event.source !== frame.contentWindow) { return; }
            if (event.data === null || typeof event.data !== "object") { return; }
            switch (event.data.name) {
            case "GetDelegatedAccessToken":
                frame.contentWindow.postMessage({
                    name: "DelegatedAccessTokenResponse",
                    accessToken: { access_token: model.accessToken },
                    baseUrl: model.baseURL,
                    participantID: model.participantID
                }, origin);
                break;
            case "SurveyWindowInitialized":
                tell("SurveyWindowInitialized", true);
                break;
            case "SurveyFinished":
                tell("SurveyFinished", typeof event.data.reason === "string" ? event.data.reason : null);
                break;
            }
        });
        // For VoiceOver: the survey's own title, in its language.
        frame.addEventListener("load", function () { frame.title = frame.contentDocument?.title ?? ""; });
        frame.src = model.frameURL;
        """
}

extension SurveyPage: Redacted {
    /// A description with the document's size, never the document, which contains the token.
    public var description: String { "SurveyPage(\(html.utf8.count) bytes)" }
}
