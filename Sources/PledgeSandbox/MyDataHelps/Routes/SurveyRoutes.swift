import Foundation

extension ParticipantBackend {
    func deleteResult(_ request: SandboxRequest) throws -> SandboxResponse {
        let id = request.parameters["result"]?.lowercased() ?? ""
        return try records.withLock { records in
            guard let answer = records[.answers].first(where: { $0.text("surveyResultID")?.lowercased() == id }) else {
                throw SandboxResponse.message("There is no such survey result.", status: 404)
            }
            let survey = SurveyRecords.all.first { $0.name == answer.text("surveyName") }
            guard survey?.allowsDeleting == true else {
                throw SandboxResponse.message("Results of this survey cannot be deleted.", status: 403)
            }
            records[.answers].removeAll { $0.text("surveyResultID")?.lowercased() == id }
            return .empty(200)
        }
    }
}
