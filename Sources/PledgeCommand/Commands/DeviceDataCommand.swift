import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding

/// `pledge device-data`: lists the measurements of a participant's devices.
enum DeviceDataCommand {
    static let days = InsightsCommand.days
    static let v2 = Option.flag(
        "--v2",
        "list version 2 of the device data, such as Google Health, Health Connect, and Oura, for one participant; "
            + "needs a service account")
    static let participant = Option.text(
        "--participant", "ID", "an identifier", "with --v2: the project's identifier for the participant")

    static let command = Command(
        name: "device-data", summary: "list device data from MyDataHelps", part: .reading,
        operands: .init(form: "[TYPE…]", count: .any),
        options: [days, v2, participant] + ServiceAccountOptions.all + Listing.options + Access.options,
        examples: [
            "pledge device-data Steps \"resting heart rate\"":
                "two types: one as the service names it, one in readable words",
            "pledge device-data --days 30 --jsonl > month.jsonl": "all data of a month",
            "pledge device-data --v2 --service-account MyDataHelps.1234.study --key key.pem --project 1234 --participant P-7 steps":
                "the steps in Google Health and Health Connect",
        ]
    ) { arguments in
        if arguments[v2] { return try listV2(arguments) }
        if let option = ([participant] + ServiceAccountOptions.all).first(where: arguments.has) {
            throw UsageError("\(option.name) requires --v2: add --v2, or omit \(option.name).")
        }
        let account = try Access(arguments).participant()
        let start = ParticipantSpan.start(ofLast: try arguments.value(days), arguments.context)
        let wanted = Wanted(arguments)
        let lists = ParticipantSpan.namespaces.map { namespace in
            account.client.pages(DeviceDataQuery(namespace: namespace, observedAfter: start))
        }
        try account.list(
            lists, by: { HashKey($0.id.value) },
            columns: [
                .init("at", "When"), .init("source", "From"), .init("type", nil), .init("label", "What"),
                .init("value", "Value"), .init("unit", nil), .init("from", nil), .init("id", nil),
            ], newestBy: "at", emptyMessage: "There is no device data for these days.", arguments
        ) { point in wanted.contains(point.type) ? row(point) : nil }
        wanted.hint()
        return account.warnings.exitCode
    }

    /// The types of device data to list. The user can write a type as the service writes it, or in a readable form. If
    /// the user names no type, all types are listed.
    private struct Wanted: Sendable {
        private let arguments: Arguments
        private let folded: Set<ExactText>
        private let names = Locked<Set<String>>([])

        init(_ arguments: Arguments) {
            self.arguments = arguments
            folded = Set(arguments.operands.map(DeviceDataCommand.folded))
        }

        func contains(_ type: String) -> Bool {
            guard !folded.isEmpty else { return true }
            let isWanted = folded.contains(DeviceDataCommand.folded(type))
            // The names of other types are collected too. If the user misspelled a type, one of them is suggested.
            names.withLock { names in
                if isWanted || names.count < 1_000 { names.insert(MyDataHelpsWords.name(type)) }
            }
            return isWanted
        }

        /// Prints a notice for each type that the user named but that has no data.
        func hint() {
            let found = names.withLock { $0 }.sorted()
            for word in arguments.operands
            where !found.contains(where: { DeviceDataCommand.folded($0) == DeviceDataCommand.folded(word) }) {
                let near = Nearest.hint(to: word, among: found)
                arguments.terminal.notify("There is no device data of type “\(word.onOneLine)” for these days.\(near)")
            }
        }
    }

    // MARK: Version 2

    private static func listV2(_ arguments: Arguments) throws -> ExitCode {
        let choice = try ServiceAccountOptions.choice(arguments, of: "device-data --v2")
        guard let participant = arguments[participant] else {
            throw UsageError(
                "“pledge device-data --v2” needs --participant, the project's identifier for the participant.")
        }
        let account = choice.account()
        let today = ExistDay(arguments.context.clock.now(), in: arguments.context.timeZone)
        let first = today.advanced(by: 1 - (try arguments.value(days)))
        let start = first.date(in: .utc) - DeviceDataV2Query.observationMargin
        let wanted = Wanted(arguments)
        let types = try account.client.deviceDataV2Types(in: choice.project).wait()
        // Only the types that the user wants are requested.
        let lists = types.filter { $0.isEnabled != false && wanted.contains($0.type) }.map { type in
            account.client.pages(
                DeviceDataV2Query(
                    project: choice.project, namespace: type.namespace, type: type.type,
                    participantIdentifier: participant, observedAfter: start))
        }
        let refused = Locked<[String]>([])
        try account.list(
            lists, by: { HashKey($0.id.value) },
            columns: [
                .init("at", "When"), .init("day", nil), .init("source", "From"), .init("type", nil),
                .init("label", "What"), .init("value", "Value"), .init("unit", nil), .init("from", nil),
                .init("properties", nil), .init("id", nil),
            ], newestBy: "at", emptyMessage: "There is no device data for these days.", arguments,
            continuingAfter: { error in
                guard error.isRefusal else { return false }
                refused.withLock { $0.append("\(error)") }
                return true
            }
        ) { point in
            // The request includes a day more than the user asked for, so the points of that additional day are left
            // out here.
            point.day ?? "9999" < first.description ? nil : row(point)
        }
        wanted.hint()
        let reasons = refused.withLock { $0 }
        for reason in reasons { arguments.terminal.notify("A type could not be read. \(reason.onOneLine)") }
        return reasons.isEmpty ? account.warnings.exitCode : .partial
    }

    private static func row(_ point: DeviceDataPointV2) -> [Listing.Cell] {
        // The table shows the local time, because the exact instant is unknown if the source doesn't state the clock's
        // offset from UTC.
        let observed = point.observationDate ?? point.startDate
        return [
            .optional(observed?.description), .optional(point.day),
            .text(MyDataHelpsWords.name(point.namespace.rawValue)), .text(point.type),
            .text(MyDataHelpsWords.name(point.type)), value(point.value, point.units, point.type),
            .optional(MyDataHelpsWords.unit(point.units, of: point.type)), .optional(point.startDate?.description),
            .optional(point.properties.isEmpty ? nil : try? JSONEncoder.text(point.properties)), .text(point.id.value),
        ]
    }

    // MARK: Rows

    private static func row(_ point: DeviceDataPoint) -> [Listing.Cell] {
        let offset = point.observationDate == nil ? point.startOffset : point.observationOffset
        return [
            .timestamp(point.observationDate ?? point.startDate, offset: offset),
            .text(MyDataHelpsWords.name(point.namespace.rawValue)),
            .text(point.type), .text(MyDataHelpsWords.name(point.type)),
            value(point.value, point.units, point.type),
            .optional(MyDataHelpsWords.unit(point.units, of: point.type)),
            .timestamp(point.startDate, offset: point.startOffset),
            .text(point.id.value),
        ]
    }

    fileprivate static func folded(_ type: String) -> ExactText { ExactText(MyDataHelpsWords.name(type).lowercased()) }

    /// Returns the cell of a value with its unit. The values “nan” and “inf” stay text, although Swift would parse them
    /// as numbers.
    private static func value(_ text: String, _ units: String?, _ type: String) -> Listing.Cell {
        guard let number = Double(decimal: text) else { return .text(text) }
        let unit = MyDataHelpsWords.unit(units, of: type)
        return .number(number, shown: ValueText(ofMeasurement: [number], unit: unit).value(number))
    }
}
