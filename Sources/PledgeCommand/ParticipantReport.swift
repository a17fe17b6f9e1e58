import Foundation
import MyDataHelpsKit
import PledgeSandbox

/// `pledge report --mydatahelps`: a participant's week, everything asked for at once.
struct ParticipantReport {
    var timeout: TimeInterval
    var transport = StandardTransport.Kind.usual
    var environment: [String: String]

    func make() throws -> WeeklyReport {
        let token = environment["MYDATAHELPS_TOKEN", default: ""].trimmingCharacters(in: .whitespacesAndNewlines)
        let address = environment["MYDATAHELPS_BASE_URL", default: ""]
        guard token.isEmpty else {
            let url = address.isEmpty ? MyDataHelpsClient.serviceURL : URL(string: address)
            guard let url, ["http", "https"].contains(url.scheme), let host = url.host else {
                throw UsageError("MYDATAHELPS_BASE_URL is not an address such as https://mydatahelps.org/.")
            }
            return try report(token: token, address: url, source: host)
        }
        guard address.isEmpty else { throw UsageError("MYDATAHELPS_BASE_URL is set, but MYDATAHELPS_TOKEN is not.") }
        let sandbox = try MyDataHelpsSandbox.start()
        defer { sandbox.stop() }
        Terminal.tell(
            "No MYDATAHELPS_TOKEN is set, so this is the built-in sandbox on this machine, with invented data.")
        Terminal.tell("")
        return try report(token: sandbox.token, address: sandbox.baseURL, source: "the built-in sandbox")
    }

    private func report(token: String, address: URL, source: String) throws -> WeeklyReport {
        let warnings = Locked<[String]>([])
        let client = MyDataHelpsClient(
            baseURL: address,
            options: MyDataHelpsClient.usualOptions.with { options in
                options.timeout = timeout
                options.transport = StandardTransport(transport)
                options.onUnreadable = { list, item in warnings.withLock { $0.append("In \(list), \(item).") } }
            })
        let session = ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: token))
        let week = ParticipantWeek(endingAt: Date(), in: .current)

        let data = when(
            fulfilled: ParticipantWeek.namespaces.map { namespace in
                session.allPages(DeviceDataQuery(namespace: namespace, observedAfter: week.start)).items()
            }
        ).map { $0.flatMap { $0 } }
        return try when(
            fulfilled: session.getParticipantInfo(), data,
            session.querySurveyTasks(SurveyTaskQuery(statuses: [.incomplete])),
            session.querySurveyAnswers(SurveyAnswersQuery(after: week.start)), session.listExternalAccounts()
        ).map { participant, points, tasks, answers, accounts in
            let name = [participant.demographics.firstName, participant.demographics.lastName].compactMap { $0 }
            return WeeklyReport(
                person: name.isEmpty ? participant.participantIdentifier : name.joined(separator: " "), source: source,
                days: week.days, checkIn: nil, groups: week.groups(of: points), correlations: [], insights: [],
                warnings: warnings.withLock { $0 },
                lists: [
                    week.list("Tasks due", tasks.surveyTasks.map { ($0.dueDate, $0.surveyDisplayName) }),
                    week.list(
                        "Latest answers",
                        answers.surveyAnswers.prefix(10).map { answer in
                            let words = answer.answers.joined(separator: ", ")
                            return (answer.date, "\(answer.surveyDisplayName), \(answer.resultIdentifier): \(words)")
                        }),
                    WeeklyReport.List(
                        title: "Connected accounts",
                        entries: accounts.map { .init(mark: $0.status.rawValue, text: $0.provider.name) }),
                ].filter { !$0.entries.isEmpty })
        }.wait()
    }
}
