import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A survey for a web view, as in version 2 of the vendor's SDK. It acts for the participant with the participant's
/// token.
///
/// On platforms with UIKit, `SurveyViewController` displays the survey.
public struct SurveyPresentation: Sendable {
    /// The name of the survey inside the project.
    public let surveyName: String
    /// The language in which to display the survey.
    public let languageTag: String
    /// The survey result to change; nil to create a new result.
    public let editResultID: SurveyResult.ID?
    /// The project's name for the occasion on which the survey is taken; nil if there is none. It is stored with the
    /// result.
    public let event: String?
    let session: ParticipantSession

    /// Returns the page to display. The call first fetches the participant's identifier and the token.
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
    /// Returns a survey to present, by its name inside the project.
    ///
    /// If the participant has an open task for the survey, completing the survey also completes the task.
    public func surveyPresentation(surveyName: String) -> SurveyPresentation {
        surveyPresentation(surveyName: surveyName, editResultID: nil)
    }

    /// Returns a survey to present, for changing a result or for a certain occasion. The vendor's web SDK has the same
    /// options.
    ///
    /// - Parameters:
    ///   - surveyName: The name of the survey inside the project.
    ///   - editResultID: The survey result to change, from ``SurveyAnswer/surveyResultID``; nil to create a new result.
    ///   - event: The project's name for the occasion on which the survey is taken. It is stored with the result.
    public func surveyPresentation(
        surveyName: String, editResultID: SurveyResult.ID?, event: String? = nil
    ) -> SurveyPresentation {
        SurveyPresentation(
            surveyName: surveyName, languageTag: client.languageTag, editResultID: editResultID, event: event,
            session: self)
    }
}

/// The way in which a participant left a survey.
public enum SurveyOutcome: String, Sendable, CaseIterable {
    /// The participant completed the survey, and the answers are saved.
    case completed = "Completed"
    /// The participant left the survey, and no answers are saved.
    case discarded = "Discarded"
    /// The participant left the survey, and the answers are saved for the task.
    case saved = "Saved"
}

/// A page that displays a survey in a frame. It passes the token to the frame, and forwards the frame's messages to the
/// app.
///
/// The page accepts messages only from that frame, and only if the frame has the service's origin. It sends the token
/// nowhere else.
public struct SurveyPage: Sendable {
    /// The HTML document. It contains the token, so keep it out of logs and off the disk.
    public let html: String
    /// The base URL of the document. It gives the document the service's origin.
    public let baseURL: URL

    init(_ survey: SurveyPresentation, accessToken: String, participantID: ParticipantInfo.ID) throws {
        baseURL = survey.session.client.baseURL
        let model = [
            "frameURL": survey.frameURL, "baseURL": baseURL.absoluteString, "accessToken": accessToken,
            "participantID": participantID.value,
        ]
        html = Self.document(language: survey.languageTag, model: try Self.script(model))
    }

    /// Encodes a dictionary as JSON that is safe in a script inside a page. It escapes `<` and `>`, because `</script>`
    /// would end the script. It also escapes two line separators of Unicode, because they would break a string.
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
    /// A description with the document's size, but never the document, because it contains the token.
    public var description: String { "SurveyPage(\(html.utf8.count) bytes)" }
}
