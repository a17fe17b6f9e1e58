import Foundation
import Pledge
import PledgeHTTP

extension SurveyTaskQuery {
    /// The request: `GET api/v1/delegated/surveytasks`.
    public var endpoint: Endpoint<SurveyTaskResultPage> {
        list(
            "api/v1/delegated/surveytasks",
            [
                "status": statuses.flatMap { Set($0.map(\.rawValue)).queryText },
                "surveyID": surveyID?.value,
                "surveyName": surveyNames?.queryText,
                "linkIdentifier": linkIdentifier,
                "sortOrder": sortOrder?.rawValue,
            ])
    }
}

extension SurveyAnswersQuery {
    /// The request: `GET api/v1/delegated/surveyanswers`.
    public var endpoint: Endpoint<SurveyAnswersPage> {
        list(
            "api/v1/delegated/surveyanswers",
            [
                "surveyResultID": surveyResultID?.value,
                "surveyID": surveyID?.value,
                "surveyName": surveyNames?.queryText,
                "after": after?.queryText,
                "before": before?.queryText,
                "insertedAfter": insertedAfter?.queryText,
                "insertedBefore": insertedBefore?.queryText,
                "stepIdentifier": stepIdentifiers?.queryText,
                "resultIdentifier": resultIdentifiers?.queryText,
                "answer": answers?.queryText,
            ])
    }
}

extension Endpoint where Response == Void {
    /// Not repeatable: what was deleted by a first attempt would be missing for the second.
    static func deleteSurveyResult(_ id: SurveyResult.ID) throws -> Endpoint {
        guard let uuid = UUID(uuidString: id.value) else { throw NotAResultID(value: id.value) }
        return Endpoint(.delete, "api/v1/delegated/surveyresults/\(uuid.uuidString)", isRepeatable: false) { _ in }
    }
}

/// An id that cannot be one of a survey result.
struct NotAResultID: Error, CustomStringConvertible {
    let value: String

    var description: String { "“\(value)” is no id of a survey result: take it from SurveyAnswer.surveyResultID" }
}

extension ParticipantSession {
    // One comment for the three styles of a call: promise, asynchronous, completion.

    /// A page of the surveys assigned to the participant. `GET api/v1/delegated/surveytasks`
    ///
    /// - Parameter query: what to look for; `query.page(after:)` asks for the next page, ``allPages(_:)`` for all.
    public func querySurveyTasks(_ query: SurveyTaskQuery) -> Promise<SurveyTaskResultPage> { page(query) }
    public func querySurveyTasks(_ query: SurveyTaskQuery) async throws(MyDataHelpsError) -> SurveyTaskResultPage {
        try await page(query)
    }
    public func querySurveyTasks(_ query: SurveyTaskQuery, completion: @escaping Completion<SurveyTaskResultPage>) {
        page(query, completion: completion)
    }

    /// A page of what the participant answered in surveys. `GET api/v1/delegated/surveyanswers`
    ///
    /// - Parameter query: what to look for; `query.page(after:)` asks for the next page, ``allPages(_:)`` for all.
    public func querySurveyAnswers(_ query: SurveyAnswersQuery) -> Promise<SurveyAnswersPage> { page(query) }
    public func querySurveyAnswers(_ query: SurveyAnswersQuery) async throws(MyDataHelpsError) -> SurveyAnswersPage {
        try await page(query)
    }
    public func querySurveyAnswers(_ query: SurveyAnswersQuery, completion: @escaping Completion<SurveyAnswersPage>) {
        page(query, completion: completion)
    }

    /// Deletes what the participant answered in one go, for good. `DELETE api/v1/delegated/surveyresults/<id>`
    ///
    /// Only for surveys that are set up so that results can be deleted. Never sent twice: if it is unclear whether it
    /// was done, ask for the answers.
    ///
    /// - Parameter surveyResultID: from ``SurveyAnswer/surveyResultID``.
    /// - Rejects: with ``MyDataHelpsError/encodingError(_:)`` before anything is sent if it is no such id.
    /// - Cancellation: ends the request; the service may have deleted it all the same.
    public func deleteSurveyResult(_ surveyResultID: SurveyResult.ID) -> Promise<Void> {
        send(try .deleteSurveyResult(surveyResultID))
    }
    public func deleteSurveyResult(_ surveyResultID: SurveyResult.ID) async throws(MyDataHelpsError) {
        try await value(of: send(try .deleteSurveyResult(surveyResultID)))
    }
    public func deleteSurveyResult(surveyResultID: SurveyResult.ID, completion: @escaping Completion<Void>) {
        report(send(try .deleteSurveyResult(surveyResultID)), to: completion)
    }
    public func deleteSurveyResult(surveyResultID: String, completion: @escaping Completion<Void>) {
        deleteSurveyResult(surveyResultID: SurveyResult.ID(surveyResultID), completion: completion)
    }
}
