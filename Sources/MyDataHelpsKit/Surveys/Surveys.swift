import Foundation
import Pledge
import PledgeHTTP

extension ParticipantSession {
    /// Fetches a page of the surveys assigned to the participant. `GET api/v1/delegated/surveytasks`
    public func querySurveyTasks(_ query: SurveyTaskQuery) -> Promise<SurveyTaskResultPage> { page(query) }
    public func querySurveyTasks(_ query: SurveyTaskQuery) async throws(MyDataHelpsError) -> SurveyTaskResultPage {
        try await page(query)
    }
    public func querySurveyTasks(_ query: SurveyTaskQuery, completion: @escaping Completion<SurveyTaskResultPage>) {
        page(query, completion: completion)
    }

    /// Fetches a page of the participant's answers to surveys. `GET api/v1/delegated/surveyanswers`
    public func querySurveyAnswers(_ query: SurveyAnswersQuery) -> Promise<SurveyAnswersPage> { page(query) }
    public func querySurveyAnswers(_ query: SurveyAnswersQuery) async throws(MyDataHelpsError) -> SurveyAnswersPage {
        try await page(query)
    }
    public func querySurveyAnswers(_ query: SurveyAnswersQuery, completion: @escaping Completion<SurveyAnswersPage>) {
        page(query, completion: completion)
    }

    /// Permanently deletes a survey result with all its answers. `DELETE api/v1/delegated/surveyresults/<id>`
    ///
    /// Available only for surveys configured to allow it. The request is not repeated once the service may have
    /// received it: if the outcome is unclear, query the answers. An invalid identifier rejects with
    /// ``MyDataHelpsError/encodingError(_:)`` before anything is sent.
    @available(*, noasync, message: "await it in an async function: a script's top level takes it for its promise")
    public func deleteSurveyResult(_ surveyResultID: SurveyResult.ID) -> Promise<Void> {
        call(try .deleteSurveyResult(surveyResultID))
    }
    public func deleteSurveyResult(_ surveyResultID: SurveyResult.ID) async throws(MyDataHelpsError) {
        try await value(of: call(try .deleteSurveyResult(surveyResultID)))
    }
    public func deleteSurveyResult(surveyResultID: SurveyResult.ID, completion: @escaping Completion<Void>) {
        report(call(try .deleteSurveyResult(surveyResultID)), to: completion)
    }
    public func deleteSurveyResult(surveyResultID: String, completion: @escaping Completion<Void>) {
        deleteSurveyResult(surveyResultID: SurveyResult.ID(surveyResultID), completion: completion)
    }
}

extension Endpoint where Response == Void {
    /// Not repeatable: after a successful first attempt, a second one would not find the result.
    static func deleteSurveyResult(_ id: SurveyResult.ID) throws -> Endpoint {
        guard let uuid = UUID(uuidString: id.value) else {
            throw FailureReason("“\(id)” is not the identifier of a survey result: use SurveyAnswer.surveyResultID")
        }
        return Endpoint(.delete, "api/v1/delegated/surveyresults/\(uuid.uuidString)", isRepeatable: false)
    }
}
