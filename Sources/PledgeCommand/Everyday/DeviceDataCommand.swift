import Foundation
import MyDataHelpsKit
import PledgeCoding

/// `pledge device-data`: lists what a participant's devices measured.
enum DeviceDataCommand {
    static let days = Option.number("--days", "N", 1...3_660, "the number of days, including today", usual: "7")

    static let command = Command(
        name: "device-data", summary: "list device data from MyDataHelps", part: .reading,
        operands: .init(form: "[TYPE…]", count: 0...1_000), options: [days] + Listing.options + Access.options,
        examples: [
            .init(
                "pledge device-data Steps \"resting heart rate\"", "two types, by the service's name or a readable one"),
            .init("pledge device-data --days 30 --jsonl > month.jsonl", "all data of a month"),
        ], notes: [Listing.note]
    ) { arguments in
        let account = try Access(arguments).participant()
        let start = ParticipantSpan.start(ofLast: arguments[days] ?? 7)
        let wanted = Set(arguments.operands.map(folded))
        let all = try account.client.deviceData(after: start).wait()
        let measured = Set(all.map { folded($0.type) })
        for word in arguments.operands where !measured.contains(folded(word)) {
            let near = Nearest.hint(to: word, among: Set(all.map { Readable.name($0.type) }).sorted())
            Terminal.tell("There is no device data of type “\(word.onOneLine)” for these days.\(near)")
        }
        let points = all.filter { wanted.isEmpty || wanted.contains(folded($0.type)) }
            .map { (at: $0.observationDate ?? $0.startDate, point: $0) }
        try account.listing(
            columns: [
                .init("at", "When"), .init("source", "From"), .init("type", nil), .init("label", "What"),
                .init("value", "Value"), .init("unit", "Unit"), .init("from", nil), .init("id", nil),
            ],
            rows: points.sorted { $0.at ?? .distantPast > $1.at ?? .distantPast }.map { at, point in
                [
                    .moment(at), .text(Readable.name(point.namespace.rawValue)),
                    .text(point.type), .text(Readable.name(point.type)), value(point.value),
                    .optional(Readable.unit(point.units, of: point.type)), .moment(point.startDate),
                    .text(point.id.value),
                ]
            }, silence: "There is no device data for these days."
        ).write(arguments)
        return 0
    }

    private static func folded(_ type: String) -> ExactText { ExactText(Readable.name(type).lowercased()) }

    /// Returns the cell of a value. “nan” and “inf” stay text, although Swift parses them as numbers.
    private static func value(_ text: String) -> Listing.Cell {
        if case .number = CSVCell(reading: text), let number = Double(text), number.isFinite { return .number(number) }
        return .text(text)
    }
}
