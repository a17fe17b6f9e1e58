import Foundation
import Pledge
import PledgeHTTP

/// A survey shown in a web view with the participant's token, as in version 2.
///
/// This type provides everything except the display: `SurveyViewController` displays it on platforms with UIKit.
public struct SurveyPresentation: Sendable {
    /// The name of the survey inside the project.
    public let surveyName: String
    /// The language in which to display the survey.
    public let languageTag: String
    let session: ParticipantSession

    /// Creates the page to display: fetches the participant's id, gets the token, and wraps the survey.
    ///
    /// - Rejects: With ``MyDataHelpsError``.
    /// - Queue: Handlers run on the queue they specify.
    /// - Cancellation: Cancels the request in progress.
    public func page() -> Promise<SurveyPage> {
        let session = session
        let presentation = self
        let info: Promise<ParticipantInfo> = session.getParticipantInfo()
        return info.then(on: nil) { participant -> Promise<SurveyPage> in
            session.token().map(on: nil) { token in
                try SurveyPage(
                    SurveyFrameModel(presentation, accessToken: token, participantID: participant.participantID),
                    languageTag: presentation.languageTag)
            }
        }.mapError(on: nil) { MyDataHelpsError($0) }
    }

    /// The URL of the survey itself.
    var frameURL: String {
        var query = QueryItems()
        query.add("surveyName", surveyName)
        query.add("lang", languageTag)
        return "\(session.client.baseURL.absoluteString)survey?\(query.encoded)"
    }
}

extension ParticipantSession {
    /// Returns a survey to present.
    ///
    /// - Parameter surveyName: The name of the survey inside the project. If the participant has an open task for it,
    ///   completing the survey completes the task.
    public func surveyPresentation(surveyName: String) -> SurveyPresentation {
        SurveyPresentation(surveyName: surveyName, languageTag: client.languageTag, session: self)
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

/// The data passed to the page that displays a survey.
struct SurveyFrameModel: Codable, Equatable, Sendable {
    var frameURL: String
    var baseURL: String
    var accessToken: String
    var participantID: String

    init(_ presentation: SurveyPresentation, accessToken: String, participantID: ParticipantInfo.ID) {
        frameURL = presentation.frameURL
        baseURL = presentation.session.client.baseURL.absoluteString
        self.accessToken = accessToken
        self.participantID = participantID.value
    }
}
