import ExistKit
import Foundation
import PledgeCoding

/// Everything that is wanted of one Exist account, written section by section as it arrives.
struct ExistAccount: Sendable {
    let existAPI: ExistAPI
    let options: ExportOptions
    let draft: Draft
    private let today = Locked<ExistDay?>(nil)

    /// How many days the service gives at once.
    private static let window = 31

    init(_ existAPI: ExistAPI, _ options: ExportOptions, _ draft: Draft) {
        self.existAPI = existAPI
        self.options = options
        self.draft = draft
    }

    func read(_ section: ExportOptions.Section) -> Promise<Void> {
        switch section {
        case .profile: profile()
        case .attributes: attributes()
        case .averages: averages()
        case .correlations: correlations()
        case .insights: insights()
        default: Promise()
        }
    }

    private func profile() -> Promise<Void> {
        existAPI.user().done(on: .pledge) { user, _ in
            today.withLock { $0 = user.today }
            try draft.write { page in
                page.json.object("profile") { json in
                    json.field("username", user.username)
                    json.field("first_name", user.firstName)
                    json.field("last_name", user.lastName)
                    json.field("timezone", user.timezone)
                    json.field("today", user.today)
                }
            }
        }
    }

    /// A month at a time, backwards: of a long history no more than that is held.
    private func attributes() -> Promise<Void> {
        let wanted: Int
        if let first = options.first {
            // One more where the service decides what today is.
            wanted = first.distance(to: options.last ?? anchor) + (options.last == nil ? 2 : 1)
        } else {
            wanted = options.days ?? 7
        }
        return firstly { () throws -> Promise<[Attribute]> in
            try draft.write { $0.json.open(UInt8(ascii: "["), "values") }
            return months(through: options.last, wanted: wanted, known: [])
        }.done(on: .pledge) { attributes in
            try draft.write { page in
                page.json.close(UInt8(ascii: "]"))
                page.json.objects("attributes", attributes) { json, attribute in
                    json.field("name", attribute.name)
                    json.field("label", attribute.label)
                    json.field("group", attribute.group.name)
                    json.field("value_type", attribute.valueType.rawValue)
                    json.field("service", attribute.service)
                }
            }
        }
    }

    /// - Returns: the attributes met, without their values, which are written already.
    private func months(through last: ExistDay?, wanted: Int, known: [Attribute]) -> Promise<[Attribute]> {
        existAPI.attributes(days: min(wanted, Self.window), from: nil, through: last).then(on: .pledge) {
            attributes, _ -> Promise<[Attribute]> in
            try draft.write { page in
                for attribute in attributes { write(attribute, &page) }
            }
            let days = attributes.lazy.flatMap(\.values).map(\.day)
            if last == nil, let newest = days.max() { today.withLock { $0 = $0 ?? newest } }
            var known = known
            let names = Set(known.map { ExactText($0.name) })
            for var attribute in attributes where !names.contains(ExactText(attribute.name)) {
                attribute.values = []
                known.append(attribute)
            }
            guard wanted > Self.window, let oldest = days.min(), oldest > options.first ?? oldest.advanced(by: -1)
            else {
                return .value(known)
            }
            return months(through: oldest.advanced(by: -1), wanted: wanted - Self.window, known: known)
        }
    }

    /// A row for each day with a value.
    private func write(_ attribute: Attribute, _ page: inout Draft.Page) {
        for entry in attribute.values {
            guard let value = entry.value, entry.day >= options.first ?? entry.day else { continue }
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

    private func correlations() -> Promise<Void> {
        existAPI.correlations(strong: true).done(on: .pledge) { correlations, _ in
            try draft.write { page in
                page.json.objects("correlations", correlations) { json, item in
                    json.field("attribute", item.attribute)
                    json.field("attribute2", item.attribute2)
                    json.field("day", item.day)
                    json.field("value", item.value)
                    json.field("p", item.p)
                    json.field("stars", item.stars)
                    json.field("sentence", item.secondPerson)
                }
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
        let last = options.last ?? anchor
        let first = options.first ?? last.advanced(by: 1 - (options.days ?? 7))
        return existAPI.all(.insights(from: first, through: options.last)).done(on: .pledge) { insights, _ in
            try draft.write { page in
                page.json.objects("insights", insights) { json, insight in
                    json.field("day", insight.targetDay)
                    json.field("created", Moments.text(insight.created))
                    json.field("type", insight.type.name)
                    json.field("text", insight.text)
                }
                for insight in insights {
                    page.row(
                        .insights,
                        [.text(insight.targetDay?.description ?? ""), .text(insight.type.name), .text(insight.text)])
                }
            }
        }
    }

    /// Today where the user is, as far as known; else where this runs.
    private var anchor: ExistDay { today.withLock { $0 } ?? ExistDay(Date()) }
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
