import Foundation

/// The routes for tasks, answers, and deleting a survey result.
struct SurveyRoutes: RouteGroup {
    let access: ParticipantAccess
    let records: Locked<ParticipantRecords>

    var routes: [AuthorizedRoute] {
        [
            access.list("surveyTasks", at: "surveytasks") { try tasks($0) },
            access.list("surveyAnswers", at: "surveyanswers") { try answers($0) },
            AuthorizedRoute("DELETE /api/v1/delegated/surveyresults/{result}", for: access.participants) {
                try delete($0)
            },
        ]
    }

    private func tasks(_ query: ParticipantQuery) throws -> [ParticipantRecords.Item] {
        let statuses = query.texts("status")
        let names = query.texts("surveyName")
        let tasks = records.current.tasks.filter { task in
            statuses?.contains(task.text("status") ?? "") ?? true
                && names?.contains(task.text("surveyName") ?? "") ?? true
                && query.text("surveyID").map { $0 == task.text("surveyID") } ?? true
                && query.text("linkIdentifier").map { $0 == task.text("linkIdentifier") } ?? true
        }
        switch query.text("sortOrder") {
        case nil, "Descending": return tasks
        case "Ascending": return tasks.reversed()
        default: throw SandboxResponse.message("sortOrder must be Ascending or Descending.", status: 400)
        }
    }

    private func answers(_ query: ParticipantQuery) throws -> [ParticipantRecords.Item] {
        let wanted = [
            "surveyName": query.texts("surveyName"), "stepIdentifier": query.texts("stepIdentifier"),
            "resultIdentifier": query.texts("resultIdentifier"),
            "surveyID": query.text("surveyID").map { [$0] },
            "surveyResultID": query.text("surveyResultID").map { [$0] },
        ].compactMapValues { $0 }
        let texts = query.texts("answer")
        let answered = try query.time("after", "before")
        let inserted = try query.time("insertedAfter", "insertedBefore")
        return records.current.answers.filter { answer in
            let given = Set(answer.json["answers"]?.array?.compactMap(\.string) ?? [])
            return wanted.allSatisfy { name, values in values.contains(answer.text(name) ?? "") }
                && texts.map { !$0.isDisjoint(with: given) } ?? true
                && answered?.contains(answer.moment("date")) ?? true
                && inserted?.contains(answer.moment("insertedDate")) ?? true
        }
    }

    private func delete(_ request: SandboxRequest) throws -> SandboxResponse {
        let id = request.parameters["result"]?.lowercased() ?? ""
        return try records.withLock { records in
            guard let answer = records.answers.first(where: { $0.text("surveyResultID")?.lowercased() == id }) else {
                throw SandboxResponse.message("There is no such survey result.", status: 404)
            }
            let survey = SurveyRecords.all.first { $0.name == answer.text("surveyName") }
            guard survey?.allowsDeleting == true else {
                throw SandboxResponse.message("Results of this survey cannot be deleted.", status: 403)
            }
            records.answers.removeAll { $0.text("surveyResultID")?.lowercased() == id }
            return .empty(200)
        }
    }
}
