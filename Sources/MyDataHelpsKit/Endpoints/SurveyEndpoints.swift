import Foundation
import PledgeHTTP

extension SurveyTaskQuery {
    /// `GET api/v1/delegated/surveytasks`
    public var endpoint: Endpoint<SurveyTaskResultPage> {
        var query = QueryItems()
        query.add("status", oneOf: statuses.map { Set($0.map(\.rawValue)) })
        query.add("surveyID", surveyID?.value)
        query.add("surveyName", oneOf: surveyNames)
        query.add("linkIdentifier", linkIdentifier)
        query.add("sortOrder", sortOrder?.rawValue)
        query.add(limit: limit, pageID: pageID?.value)
        return Endpoint(.get, Endpoint<Page>.delegated("surveytasks"), query: query)
    }
}

extension SurveyAnswersQuery {
    /// `GET api/v1/delegated/surveyanswers`
    public var endpoint: Endpoint<SurveyAnswersPage> {
        var query = QueryItems()
        query.add("surveyResultID", surveyResultID?.value)
        query.add("surveyID", surveyID?.value)
        query.add("surveyName", oneOf: surveyNames)
        query.add("after", after)
        query.add("before", before)
        query.add("insertedAfter", insertedAfter)
        query.add("insertedBefore", insertedBefore)
        query.add("stepIdentifier", oneOf: stepIdentifiers)
        query.add("resultIdentifier", oneOf: resultIdentifiers)
        query.add("answer", oneOf: answers)
        query.add(limit: limit, pageID: pageID?.value)
        return Endpoint(.get, Endpoint<Page>.delegated("surveyanswers"), query: query)
    }
}

extension Endpoint where Response == Void {
    /// Not repeatable: what was deleted by a first attempt would be missing for the second.
    static func deleteSurveyResult(_ id: SurveyResult.ID) throws -> Endpoint {
        guard let uuid = UUID(uuidString: id.value) else { throw NotAResultID(value: id.value) }
        return .action(.delete, delegated("surveyresults/\(uuid.uuidString)"), isRepeatable: false)
    }
}

/// An id that cannot be one of a survey result.
struct NotAResultID: Error, CustomStringConvertible {
    let value: String

    var description: String { "“\(value)” is no id of a survey result: take it from SurveyAnswer.surveyResultID" }
}
