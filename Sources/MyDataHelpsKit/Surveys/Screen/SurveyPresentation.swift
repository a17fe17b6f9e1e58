import Foundation
import Pledge
import PledgeHTTP

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
