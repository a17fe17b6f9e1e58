import Foundation

extension ParticipantBackend {
    func deleteResult(_ request: ServerRequest) throws -> ServerResponse {
        let id = request.parameters["result"]?.lowercased() ?? ""
        return try records.withLock { records in
            guard let answer = records[.answers].first(where: { $0.text("surveyResultID")?.lowercased() == id }) else {
                throw ServerResponse.message("There is no such survey result.", status: 404)
            }
            let survey = SurveyRecords.all.first { $0.name == answer.text("surveyName") }
            guard survey?.allowsDeleting == true else {
                throw ServerResponse.message("Results of this survey cannot be deleted.", status: 403)
            }
            records[.answers].removeAll { $0.text("surveyResultID")?.lowercased() == id }
            return .empty(200)
        }
    }
}
