import Foundation

extension ParticipantBackend {
    func deleteResult(_ request: ServerRequest) throws -> ServerResponse {
        let id = request.parameters["result"]?.lowercased() ?? ""
        return try records.withLock { records in
            guard let answer = records[.answers].first(where: { $0.text("surveyResultID")?.lowercased() == id }) else {
                throw ServerResponse.message("There is no such survey result.", status: 404)
            }
            let survey = InitialSurveys.all.first { $0.name == answer.text("surveyName") }
            guard survey?.allowsDeleting == true else {
                throw ServerResponse.message("Results of this survey cannot be deleted.", status: 403)
            }
            records[.answers].removeAll { $0.text("surveyResultID")?.lowercased() == id }
            return .empty(200)
        }
    }
}

/// The web page of a survey. An app shows it in a frame, and gives it a token.
extension ParticipantBackend {
    /// Returns a page that requests a token from the page around it, and shows a button for each way to finish the
    /// survey.
    func framedSurvey(_ request: ServerRequest) -> ServerResponse {
        let isKnown = InitialSurveys.all.contains { $0.name == request.queryValue("surveyName") }
        let script = """
            const known = \(isKnown);
            function tell(message) { window.parent.postMessage(message, "*"); }
            let token = "";
            async function finish(reason) {
                const headers = { Authorization: "Bearer " + token };
                await fetch(location.href + "&reason=" + reason, { method: "POST", headers: headers });
                tell({ name: "SurveyFinished", reason: reason });
            }
            window.addEventListener("message", function (event) {
                if (event.data.name !== "DelegatedAccessTokenResponse") { return; }
                document.title = event.data.participantID;
                token = event.data.accessToken.access_token;
                tell({ name: "SurveyWindowInitialized" });
                if (!known) { tell({ name: "SurveyFinished", reason: null }); }
            });
            tell({ name: "GetDelegatedAccessToken" });
            """
        let buttons = ["Completed", "Discarded", "Saved", "Closed"].map {
            "<button id=\"\($0)\" onclick=\"finish('\($0)')\">\($0)</button>"
        }
        let html = """
            <!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Survey</title>
            <body>\(buttons.joined())<script>\(script)</script></body></html>
            """
        return ServerResponse(
            status: 200, headers: ["Content-Type": "text/html; charset=utf-8"], body: Data(html.utf8))
    }

    /// Changes an open task for the survey. Depending on the reason, completes the task, or marks it as having saved
    /// answers.
    func finishSurvey(_ request: ServerRequest) -> ServerResponse {
        let reason = request.queryValue("reason")
        let stamp = ServerJSON.string(ZonedTime.text(now()))
        return records.withLock { records in
            let open = records[.tasks].firstIndex { task in
                task.text("surveyName") == request.queryValue("surveyName") && task.text("status") == "incomplete"
            }
            guard let open, reason == "Completed" || reason == "Saved" else { return .empty(200) }
            records[.tasks][open].json["hasSavedProgress"] = .bool(reason == "Saved")
            records[.tasks][open].json["modifiedDate"] = stamp
            if reason == "Completed" {
                records[.tasks][open].json["status"] = "complete"
                records[.tasks][open].json["endDate"] = stamp
            }
            return .empty(200)
        }
    }
}

/// The initial surveys, the tasks that assign them to the participant, and the participant's answers.
enum InitialSurveys {
    struct Survey: Sendable {
        let number: Int
        let name: String
        let displayName: String
        let description: String
        var allowsDeleting = false

        var id: String { SandboxID.make(.survey, number) }

        static let daily = Survey(
            number: 1, name: "DailyMood", displayName: "Hur mår du? 🙂", description: "One minute", allowsDeleting: true)
        static let weekly = Survey(number: 2, name: "Sleep, weekly", displayName: "Weekly sleep", description: "")
        static let intake = Survey(
            number: 3, name: "Intake", displayName: "About you", description: "Once, ten minutes")
    }

    static let all: [Survey] = [.daily, .weekly, .intake]

    /// Returns the tasks and answers. A survey about mood is due every day, and a survey about sleep every Sunday.
    static func make(until now: Date) -> (tasks: [ParticipantRecords.Item], answers: [ParticipantRecords.Item]) {
        let today = Int((now.timeIntervalSince1970 / 86_400).rounded(.down))
        var tasks: [ParticipantRecords.Item] = []
        var answers: [ParticipantRecords.Item] = []
        for day in today - 27...today {
            // Three days ago, the participant missed the survey.
            let status = day == today ? "incomplete" : day == today - 3 ? "closed" : "complete"
            tasks.append(task(.daily, day, status))
            if status == "complete" {
                let mood = min(9, max(1, Int((6 + 2 * DayNoise.normal(.mood, day)).rounded())))
                let energy = min(9, max(1, Int((5 + 2 * DayNoise.normal(.energy, day)).rounded())))
                answers.append(answer(.daily, day, "MoodStep", ["\(mood)"]))
                answers.append(answer(.daily, day, "EnergyStep", ["\(energy)"]))
            }
            if CalendarDay(number: day).weekday == 0 {
                tasks.append(task(.weekly, day, day == today ? "incomplete" : "complete"))
                if day != today {
                    answers.append(answer(.weekly, day, "Form 1", item: "Form 1 / item, b", ["Coffee, black", "Té"]))
                    answers.append(answer(.weekly, day, "WebStep", []))
                }
            }
        }
        var open = task(.intake, today - 28, "incomplete")
        open.json["hasSavedProgress"] = true
        open.json["dueDate"] = nil as ServerJSON?
        tasks.append(open)
        return (tasks, answers)
    }

    private static func task(_ survey: Survey, _ day: Int, _ status: String) -> ParticipantRecords.Item {
        let assigned = Date(timeIntervalSince1970: Double(day * 86_400 + 14_400 - survey.number))
        let changed = status == "incomplete" ? assigned : assigned.addingTimeInterval(7_200)
        return task(survey, number: day * 10 + survey.number, status, assigned: assigned, changed: changed)
    }

    static func task(
        _ survey: Survey, number: Int, _ status: String, assigned: Date, changed: Date
    ) -> ParticipantRecords.Item {
        ParticipantRecords.Item(
            date: assigned,
            json: [
                "id": .string(SandboxID.make(.task, number)),
                "linkIdentifier": .string(SandboxID.make(.ticket, number)),
                "surveyID": .string(survey.id), "surveyName": .string(survey.name),
                "surveyDisplayName": .string(survey.displayName), "surveyDescription": .string(survey.description),
                "startDate": nil, "endDate": status == "complete" ? .string(ZonedTime.text(changed)) : nil,
                "status": .string(status), "hasSavedProgress": false,
                "dueDate": .string(ZonedTime.text(assigned.addingTimeInterval(68_399.999))),
                "insertedDate": .string(ZonedTime.text(assigned)), "modifiedDate": .string(ZonedTime.text(changed)),
            ])
    }

    private static func answer(
        _ survey: Survey, _ day: Int, _ step: String, item: String? = nil, _ texts: [String]
    ) -> ParticipantRecords.Item {
        answer(
            survey, number: day * 100 + survey.number * 10 + step.utf8.count % 10, task: day * 10 + survey.number, step,
            item: item, texts,
            given: Date(timeIntervalSince1970: Double(day * 86_400 + 21_300 + survey.number + step.utf8.count)))
    }

    /// Creates an answer.
    ///
    /// - Parameter task: The number of the task that the answer belongs to. It is also the number of the survey result.
    static func answer(
        _ survey: Survey, number: Int, task: Int, _ step: String, item: String? = nil, _ texts: [String], given: Date
    ) -> ParticipantRecords.Item {
        ParticipantRecords.Item(
            date: given,
            json: [
                "id": .string(SandboxID.make(.answer, number)),
                "surveyResultID": .string(SandboxID.make(.result, task)),
                "surveyID": .string(survey.id), "surveyVersion": .integer(survey.number == 1 ? 0 : 12),
                "taskID": .string(SandboxID.make(.task, task)), "surveyName": .string(survey.name),
                "surveyDisplayName": .string(survey.displayName),
                "date": .string(ZonedTime.text(given, hoursEast: 1)), "stepIdentifier": .string(step),
                "resultIdentifier": .string(item ?? step), "answers": .array(texts.map { .string($0) }),
                "insertedDate": .string(ZonedTime.text(given.addingTimeInterval(2.9))),
            ])
    }
}

/// The notifications to the participant: a reminder every day, and a text message every week. Sending a few of them
/// failed.
enum InitialNotifications {
    static func make(until now: Date) -> [ParticipantRecords.Item] {
        let today = Int((now.timeIntervalSince1970 / 86_400).rounded(.down))
        var items: [ParticipantRecords.Item] = []
        func add(
            _ day: Int, _ number: Int, _ identifier: String, _ type: String, _ status: String, _ content: ServerJSON
        ) {
            let sent = Date(timeIntervalSince1970: Double(day * 86_400 + 21_600 + number * 3_600) + 0.52)
            items.append(item(day * 10 + number, identifier, type, status, content, sent: sent))
        }
        for day in today - 119...today {
            let content: ServerJSON = ["title": "God morgon ☀️", "body": "Ny enkät väntar"]
            let fails = day == today - 9
            add(
                day, 1, "DailyReminder", "Push", fails ? "NoRegisteredMobileDevice" : "Succeeded", fails ? nil : content
            )
            if CalendarDay(number: day).weekday == 5 {
                let fails = day < today - 60
                add(
                    day, 2, "WeeklySms", "Sms", fails ? "MissingContactInfo" : "Succeeded",
                    fails ? nil : ["body": "Weekly check-in: https://example.org/s/1"])
            }
        }
        add(today - 119, 3, "Welcome", "Email", "Succeeded", ["subject": "Välkommen!"])
        return items.filter { $0.date <= now }
    }

    static func item(
        _ number: Int, _ identifier: String, _ type: String, _ status: String, _ content: ServerJSON, sent: Date
    ) -> ParticipantRecords.Item {
        ParticipantRecords.Item(
            date: sent,
            json: [
                "id": .string(SandboxID.make(.notification, number)), "identifier": .string(identifier),
                "sentDate": .string(ZonedTime.text(sent)), "statusCode": .string(status), "type": .string(type),
                "content": content,
            ])
    }
}
