import ExistKit
import Foundation
import PledgeSandbox

/// `pledge report`: a chain that writes and reads back, then everything at once, then a report.
struct ReportCommand {
    var options: ReportOptions
    var environment: [String: String]

    func run() throws {
        // Before anything is written anywhere: can the page be?
        let page = try options.html.flatMap { $0 == "-" ? nil : try WholeFile($0) }
        if options.isMyDataHelps {
            return try show(
                ParticipantReport(timeout: options.timeout, transport: options.transport, environment: environment)
                    .make(), page)
        }
        let token = environment["EXIST_TOKEN", default: ""].trimmingCharacters(in: .whitespacesAndNewlines)
        guard token.isEmpty else {
            guard options.mood == nil || options.write else {
                throw UsageError("--mood stores nothing without --write.")
            }
            let (address, host) = try serviceAddress()
            let mood = options.write ? options.mood ?? 5 : nil
            return try show(
                report(token: token, kind: options.tokenKind, address: address, source: host, mood: mood), page)
        }
        guard environment["EXIST_BASE_URL", default: ""].isEmpty else {
            throw UsageError("EXIST_BASE_URL is set, but EXIST_TOKEN is not.")
        }
        let sandbox = try ExistSandbox.start()
        defer { sandbox.stop() }
        Terminal.tell("No EXIST_TOKEN is set, so this is the built-in sandbox on this machine, with invented data.")
        Terminal.tell("")
        try show(
            report(
                token: sandbox.token, kind: .bearer, address: sandbox.baseURL, source: "the built-in sandbox",
                mood: options.mood ?? 7), page)
    }

    private func report(
        token: String, kind: ExistAPI.TokenKind, address: URL, source: String, mood: Int?
    ) throws -> WeeklyReport {
        let warnings = Warnings()
        let existAPI = ExistAPI(
            token: token, timeout: options.timeout, kind: kind, baseURL: address,
            options: ExistAPI.usualOptions.with {
                $0.transport = StandardTransport(options.transport)
                $0.onUnreadable = { list, item in warnings.add("In \(list), \(item).") }
            })

        return try existAPI.user().then { user, _ -> Promise<WeeklyReport.CheckIn?> in
            guard let mood else { return .value(nil) }
            return checkIn(mood, on: user.today, existAPI)
        }.then { checkIn in
            when(
                fulfilled: existAPI.user(), existAPI.attributes(days: 7), existAPI.averages(),
                existAPI.correlations(strong: true), existAPI.insights(days: 7)
            ).map { user, attributes, averages, correlations, insights in
                WeeklyReport(
                    user: user.user, attributes: attributes.attributes, averages: averages.averages,
                    correlations: correlations.correlations, insights: insights.insights.results, checkIn: checkIn,
                    source: source, warnings: warnings.all)
            }
        }.wait()
    }

    /// Makes `mood` ours, stores today's, and reads it back.
    private func checkIn(_ mood: Int, on today: ExistDay, _ existAPI: ExistAPI) -> Promise<WeeklyReport.CheckIn?> {
        existAPI.acquire(names: ["mood"]).then { acquired, _ -> Promise<ExistAPI.UpdateReply> in
            if let refusal = acquired.failed.first { throw refused("acquire", refusal.error) }
            return existAPI.update(attributes: [IntAttributeUpdate(name: "mood", day: today, value: mood)])
        }.then { updated, _ -> Promise<ExistAPI.AttributesReply> in
            if let refusal = updated.failed.first { throw refused("store", refusal.error) }
            return existAPI.attributes(names: ["mood"], days: 1, from: today, through: today)
        }.map { attributes, _ in
            let stored = attributes.first
            return WeeklyReport.CheckIn(
                attribute: "mood", label: stored?.label ?? "Mood", day: today.description, written: mood,
                readBack: stored?.values.first { $0.day == today }?.value?.int)
        }
    }

    private func refused(_ step: String, _ reason: String) -> Failure {
        Failure("Exist did not \(step) “mood”, saying “\(reason)”. Leave out --write to read only.")
    }

    private func show(_ report: WeeklyReport, _ page: WholeFile?) throws {
        if let file = options.html {
            let markup = HTMLReport(report).rendered()
            if let page {
                try page.write(markup)
                Terminal.tell("Wrote \(file).")
            } else {
                try Terminal.write(markup)
            }
        }
        if options.json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let json = String(decoding: try encoder.encode(report), as: UTF8.self)
            try Terminal.write(json.jsonEscapingControls + "\n")
        } else if options.html == nil {
            try Terminal.write(
                TextReport(report, width: Terminal.width, color: Terminal.isColorful(environment)).rendered() + "\n")
        }
    }

    private func serviceAddress() throws -> (URL, String) {
        let text = environment["EXIST_BASE_URL", default: ""]
        let address = text.isEmpty ? ExistAPI.serviceURL : URL(string: text)
        guard let address, ["http", "https"].contains(address.scheme), let host = address.host else {
            throw UsageError("EXIST_BASE_URL is not an address such as https://exist.io/.")
        }
        return (address, host)
    }
}

/// What was left out of the lists, collected while they are read.
private final class Warnings: Sendable {
    private let list = Locked<[String]>([])

    func add(_ warning: String) {
        list.withLock { $0.append(warning) }
    }

    var all: [String] { list.withLock { $0 } }
}
