import ExistKit
import Foundation
import PledgeCoding

/// Everything that is wanted of one Exist account, written section by section as it arrives.
struct ExistAccount: Sendable {
    let existAPI: ExistAPI
    let days: ExportDays
    let correlations: ExportOptions.Correlations
    let draft: Draft
    private let zone = Locked<TimeZone?>(nil)

    /// How many days the service gives at once.
    private static let window = 31

    init(_ existAPI: ExistAPI, _ days: ExportDays, _ correlations: ExportOptions.Correlations, _ draft: Draft) {
        self.existAPI = existAPI
        self.days = days
        self.correlations = correlations
        self.draft = draft
    }

    func read(_ section: ExportOptions.Section) -> Promise<Void> {
        switch section {
        case .profile: profile()
        case .attributes: attributes()
        case .averages: averages()
        case .correlations: readCorrelations()
        case .insights: insights()
        default: Promise()
        }
    }

    private func profile() -> Promise<Void> {
        existAPI.user().done(on: .pledge) { user, _ in
            zone.withLock { $0 = user.timeZone }
            try draft.write { $0.json.profile(user) }
        }
    }

    /// The last day that is wanted, where the user is if the profile was read.
    private var last: ExistDay { days.last(in: zone.withLock { $0 }) }

    /// A month at a time, backwards: of a long history no more than that is held.
    private func attributes() -> Promise<Void> {
        firstly { () throws -> Promise<[Attribute]> in
            try draft.write { $0.json.open(UInt8(ascii: "["), "values") }
            return months(through: last, from: days.first(before: last), known: [])
        }.done(on: .pledge) { attributes in
            try draft.write { page in
                page.json.close(UInt8(ascii: "]"))
                page.json.objects("attributes", attributes) { $0.fields(of: $1) }
            }
        }
    }

    /// - Returns: the attributes met, without their values, which are written already.
    private func months(through last: ExistDay, from first: ExistDay, known: [Attribute]) -> Promise<[Attribute]> {
        let wanted = min(first.distance(to: last) + 1, Self.window)
        return existAPI.attributes(days: wanted, from: nil, through: last).then(on: .pledge) {
            attributes, _ -> Promise<[Attribute]> in
            try draft.write { page in
                for attribute in attributes { write(attribute, from: first, &page) }
            }
            for attribute in attributes {
                for item in attribute.unreadableValues {
                    draft.note(unreadable: "Among the values of \(attribute.name), \(item).")
                }
            }
            let oldest = attributes.lazy.flatMap(\.values).map(\.day).min()
            var known = known
            let names = Set(known.map { ExactText($0.name) })
            for var attribute in attributes where !names.contains(ExactText(attribute.name)) {
                attribute.values = []
                known.append(attribute)
            }
            let next = last.advanced(by: -wanted)
            // Beyond a month without a single day there is nothing more.
            guard next >= first, oldest != nil else { return .value(known) }
            return months(through: next, from: first, known: known)
        }
    }

    /// A row for each day with a value.
    private func write(_ attribute: Attribute, from first: ExistDay, _ page: inout Draft.Page) {
        for entry in attribute.values {
            guard let value = entry.value, entry.day >= first else { continue }
            let day = entry.day.description
            page.json.object { json in
                json.field("attribute", attribute.name)
                json.field("day", day)
                json.field("value", value)
            }
            page.row(.values, [.text(attribute.name), .text(day), CSVCell(value)])
        }
    }

    private func averages() -> Promise<Void> {
        existAPI.averages().done(on: .pledge) { averages, _ in
            try draft.write { page in
                page.json.objects("averages", averages) { json, average in
                    json.field("attribute", average.attribute)
                    json.field("day", average.day)
                    json.field("overall", average.overall)
                    json.field("monday", average.monday)
                    json.field("tuesday", average.tuesday)
                    json.field("wednesday", average.wednesday)
                    json.field("thursday", average.thursday)
                    json.field("friday", average.friday)
                    json.field("saturday", average.saturday)
                    json.field("sunday", average.sunday)
                }
                for average in averages {
                    let days = ExistDay.Weekday.allCases.map { ($0.rawValue, average[$0]) }
                    for (weekday, value) in [("overall", average.overall)] + days {
                        guard let value else { continue }
                        page.row(
                            .averages,
                            [
                                .text(average.attribute), .text(average.day.description), .text(weekday),
                                .number("\(value)"),
                            ])
                    }
                }
            }
        }
    }

    private func readCorrelations() -> Promise<Void> {
        existAPI.all(.correlations(strong: correlations == .strong)).done(on: .pledge) { correlations, _ in
            try draft.write { page in
                page.json.objects("correlations", correlations) { $0.fields(of: $1) }
                for item in correlations {
                    page.row(
                        .correlations,
                        [
                            .text(item.attribute), .text(item.attribute2), .text(item.day.description),
                            .number("\(item.value)"), .number(item.stars.map { "\($0)" } ?? ""),
                            .text(item.secondPerson ?? ""),
                        ])
                }
            }
        }
    }

    private func insights() -> Promise<Void> {
        let last = last
        return existAPI.all(.insights(from: days.first(before: last), through: last)).done(on: .pledge) {
            insights, _ in
            try draft.write { page in
                page.json.objects("insights", insights) { $0.fields(of: $1) }
                for insight in insights {
                    page.row(
                        .insights,
                        [.text(insight.targetDay?.description ?? ""), .text(insight.type.name), .text(insight.text)])
                }
            }
        }
    }
}

extension CSVCell {
    /// A value as a table has it.
    fileprivate init(_ value: AttributeValue) {
        switch value {
        case .integer(let number): self = .number("\(number)")
        case .decimal(let number): self = .number("\(number)")
        case .text(let text): self = .text(text)
        case .other: self = .text("")
        }
    }
}
