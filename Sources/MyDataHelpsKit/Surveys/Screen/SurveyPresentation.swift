import Foundation
import Pledge
import PledgeHTTP

/// A survey that is taken in a web view with the participant's token: the way of version 2.
///
/// Everything here but showing it: `SurveyViewController` does that where there is UIKit.
public struct SurveyPresentation: Sendable {
    /// What the survey is called inside the project.
    public let surveyName: String
    /// The language to show it in.
    public let languageTag: String
    let session: ParticipantSession

    /// The page to show: fetches the participant's id, asks for the token, and wraps the survey.
    ///
    /// - Rejects: with ``MyDataHelpsError``.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request.
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

    /// Where the survey itself is.
    var frameURL: String {
        var query = QueryItems()
        query.add("surveyName", surveyName)
        query.add("lang", languageTag)
        return "\(session.client.baseURL.absoluteString)survey?\(query.encoded)"
    }
}

extension ParticipantSession {
    /// A survey to show.
    ///
    /// - Parameter surveyName: what it is called inside the project. If the participant has an open task for it,
    ///   finishing it completes the task.
    public func surveyPresentation(surveyName: String) -> SurveyPresentation {
        SurveyPresentation(surveyName: surveyName, languageTag: client.languageTag, session: self)
    }
}

/// How a participant left a survey.
public enum SurveyOutcome: String, Sendable, CaseIterable {
    /// It is done, and saved.
    case completed = "Completed"
    /// It was left, and nothing is saved.
    case discarded = "Discarded"
    /// It was left, and what was answered is kept for the task.
    case saved = "Saved"
}

/// What the page around a survey knows.
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
