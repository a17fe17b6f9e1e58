import ExistKit
import Foundation
import PledgeSandbox

/// `pledge report`: a chain that writes and reads back, then everything at once, then a report.
struct ReportCommand {
    var options: ReportOptions
    var environment: [String: String]

    func run() throws {
        if let file = options.html, file != "-" { try check(file) }
        if options.isMyDataHelps {
            return try show(
                ParticipantReport(timeout: options.timeout, transport: options.transport, environment: environment)
                    .make())
        }
        let token = environment["EXIST_TOKEN", default: ""].trimmingCharacters(in: .whitespacesAndNewlines)
        guard token.isEmpty else {
            guard options.mood == nil || options.write else {
                throw UsageError("--mood stores nothing without --write.")
            }
            let (address, host) = try serviceAddress()
            let mood = options.write ? options.mood ?? 5 : nil
            return try report(token: token, kind: options.tokenKind, address: address, source: host, mood: mood)
        }
        guard environment["EXIST_BASE_URL", default: ""].isEmpty else {
            throw UsageError("EXIST_BASE_URL is set, but EXIST_TOKEN is not.")
        }
        let sandbox = try ExistSandbox.start()
        defer { sandbox.stop() }
        Terminal.writeError(
            "No EXIST_TOKEN is set, so this is the built-in sandbox on this machine, with invented data.\n\n")
        try report(
            token: sandbox.token, kind: .bearer, address: sandbox.baseURL, source: "the built-in sandbox",
            mood: options.mood ?? 7)
    }

    private func report(token: String, kind: ExistAPI.TokenKind, address: URL, source: String, mood: Int?) throws {
        let warnings = Warnings()
        let existAPI = ExistAPI(
            token: token, timeout: options.timeout, kind: kind, baseURL: address,
            transport: StandardTransport(options.transport),
            onUnreadable: { list, item in warnings.add("In \(list), \(item).") })

        let report = try existAPI.user().then { user, _ -> Promise<WeeklyReport.CheckIn?> in
            guard let mood else { return .value(nil) }
            return checkIn(mood, on: user.today, existAPI)
        }.then { checkIn in
            when(
                fulfilled: existAPI.user(), existAPI.attributes(limit: 7), existAPI.averages(),
                existAPI.correlations(), existAPI.insights(days: 7)
            ).map { user, attributes, averages, correlations, insights in
                WeeklyReport(
                    user: user.user, attributes: attributes.attributes, averages: averages.averages,
                    correlations: correlations.correlations, insights: insights.insights.results, checkIn: checkIn,
                    source: source, warnings: warnings.all)
            }
        }.wait()
        try show(report)
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

    private func show(_ report: WeeklyReport) throws {
        if let file = options.html {
            let page = HTMLReport(report).rendered()
            if file == "-" {
                try Terminal.write(page)
            } else {
                try save(page, to: file)
                Terminal.writeError("Wrote \(file).\n")
            }
        }
        if options.json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try Terminal.write(String(decoding: encoder.encode(report), as: UTF8.self) + "\n")
        } else if options.html == nil {
            try Terminal.write(
                TextReport(report, width: Terminal.width, color: Terminal.isColorful(environment)).rendered() + "\n")
        }
    }

    /// Before anything is written anywhere: can the page be?
    private func check(_ file: String) throws {
        var isFolder: ObjCBool = false
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        if FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), isFolder.boolValue {
            throw Failure("The page cannot be written to \(file), which is a folder.")
        }
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw Failure("The page could not be written to \(file): there is no folder \(folder).")
        }
    }

    private func save(_ page: String, to file: String) throws {
        do {
            // In place: what is there may be a link or a device.
            try Data(page.utf8).write(to: URL(fileURLWithPath: file))
        } catch {
            throw Failure("The page could not be written to \(file): \(error.localizedDescription)")
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
