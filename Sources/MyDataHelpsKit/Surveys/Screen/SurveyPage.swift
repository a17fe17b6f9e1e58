import Foundation
import PledgeCoding

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
