import Foundation

/// Surveys, the tasks that assign them, and the participant's answers.
enum SurveyRecords {
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

    /// Returns the tasks and answers: mood is surveyed every day, sleep every Sunday.
    static func make(until now: Date) -> (tasks: [ParticipantRecords.Item], answers: [ParticipantRecords.Item]) {
        let today = Int((now.timeIntervalSince1970 / 86_400).rounded(.down))
        var tasks: [ParticipantRecords.Item] = []
        var answers: [ParticipantRecords.Item] = []
        for day in today - 27...today {
            // One day was missed.
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

    /// - Parameter task: The number of the task, and of its result.
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
