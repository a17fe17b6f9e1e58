import Foundation
import MyDataHelpsKit
import PledgeCoding

/// `pledge device-data`: lists what a participant's devices measured.
enum DeviceDataCommand {
    static let days = ParticipantSpan.days(usually: "7")

    static let command = Command(
        name: "device-data", summary: "list device data from MyDataHelps", part: .reading,
        operands: .init(form: "[TYPE…]", count: .any),
        options: [days] + Listing.options + Access.options,
        examples: [
            "pledge device-data Steps \"resting heart rate\"": "two types, by the service's name or a readable one",
            "pledge device-data --days 30 --jsonl > month.jsonl": "all data of a month",
        ]
    ) { arguments in
        let account = try Access(arguments).participant()
        let start = ParticipantSpan.start(ofLast: try arguments.value(days), arguments.context)
        let wanted = Set(arguments.operands.map(folded))
        let names = Locked<Set<String>>([])
        let lists = ParticipantSpan.namespaces.map { namespace in
            account.client.pages(DeviceDataQuery(namespace: namespace, observedAfter: start))
        }
        try account.list(
            lists, by: { HashKey($0.id.value) },
            columns: [
                .init("at", "When"), .init("source", "From"), .init("type", nil), .init("label", "What"),
                .init("value", "Value"), .init("unit", nil), .init("from", nil), .init("id", nil),
            ], newestBy: 0, emptyMessage: "There is no device data for these days.", arguments
        ) { point in
            guard !wanted.isEmpty else { return row(point) }
            let isWanted = wanted.contains(folded(point.type))
            // The other names are suggestions for a misspelled one.
            names.withLock { names in
                if isWanted || names.count < 1_000 { names.insert(MyDataHelpsWords.name(point.type)) }
            }
            return isWanted ? row(point) : nil
        }
        let found = names.withLock { $0 }.sorted()
        for word in arguments.operands where !found.contains(where: { folded($0) == folded(word) }) {
            let near = Nearest.hint(to: word, among: found)
            arguments.terminal.tell("There is no device data of type “\(word.onOneLine)” for these days.\(near)")
        }
        return account.warnings.exitCode
    }

    private static func row(_ point: DeviceDataPoint) -> [Listing.Cell] {
        let offset = point.observationDate == nil ? point.startOffset : point.observationOffset
        return [
            .timestamp(point.observationDate ?? point.startDate, offset: offset),
            .text(MyDataHelpsWords.name(point.namespace.rawValue)),
            .text(point.type), .text(MyDataHelpsWords.name(point.type)), value(point),
            .optional(MyDataHelpsWords.unit(point.units, of: point.type)),
            .timestamp(point.startDate, offset: point.startOffset),
            .text(point.id.value),
        ]
    }

    private static func folded(_ type: String) -> ExactText { ExactText(MyDataHelpsWords.name(type).lowercased()) }

    /// Returns a value with its unit. “nan” and “inf” remain text, although Swift parses them as numbers.
    private static func value(_ point: DeviceDataPoint) -> Listing.Cell {
        let unit = MyDataHelpsWords.unit(point.units, of: point.type)
        guard let number = Double(decimal: point.value) else { return .text(point.value) }
        return .number(number, shown: ValueText(ofMeasurement: [number], unit: unit).value(number))
    }
}
