import ExistKit
import Foundation
import PledgeCoding

/// Writes the data of an Exist account, section by section as it arrives.
struct ExistAccount: Sendable {
    let existAPI: ExistAPI
    let owner: @Sendable () -> Promise<User>
    let days: ExportDays
    let line: LineBuffer
    private let zone = Locked<TimeZone?>(nil)

    func read(_ section: ExportOptions.Section) -> Promise<Void> {
        switch section {
        case .profile:
            return owner().done(on: nil) { user in
                zone.withLock { $0 = user.timeZone }
                try line.write { $0.profile(user) }
            }
        case .attributes:
            return line.list("values") {
                months(through: last, from: days.first(before: last), known: [])
            }.done(on: nil) { attributes in
                try line.write { $0.objects("attributes", attributes) { $0.fields(of: $1) } }
            }
        case .averages:
            return existAPI.walk(.averages()).done(on: nil) { decoded in
                try line.write { $0.objects("averages", decoded.value.results) { $0.fields(of: $1) } }
            }
        case .correlations:
            let query = ExistQuery<Correlation>.correlations()
            return line.list("correlations", existAPI.pages(query), by: query.identity) { $0.fields(of: $1) }
        case .insights:
            let query = ExistQuery<Insight>.insights(from: days.first(before: last), through: last)
            return line.list("insights", existAPI.pages(query), by: query.identity) { $0.fields(of: $1) }
        default: return Promise()
        }
    }

    /// The last day to request, in the user's time zone if it is known.
    private var last: ExistDay { days.last(in: zone.withLock { $0 }) }

    /// Writes the values month by month, newest first, so that only one month is in memory.
    ///
    /// - Returns: The attributes, without the values already written.
    private func months(through last: ExistDay, from first: ExistDay, known: [Attribute]) -> Promise<[Attribute]> {
        let wanted = min(first.distance(to: last) + 1, ExistAPI.windowLimit)
        return existAPI.walk(.attributesWithValues(days: wanted, through: last)).then(on: nil) {
            decoded -> Promise<[Attribute]> in
            let attributes = decoded.value.results
            let next = last.advanced(by: -wanted)
            try line.write { json in
                for attribute in attributes {
                    let unit = attribute.storedUnit?.name
                    for entry in attribute.values where entry.day > next {
                        guard let value = entry.value else { continue }
                        json.object { json in
                            json.field("attribute", attribute.name)
                            json.field("day", entry.day)
                            json.field("value", value)
                            json.field("unit", unit)
                        }
                    }
                }
            }
            var known = known
            let names = Set(known.map { ExactText($0.name) })
            for var attribute in attributes where !names.contains(ExactText(attribute.name)) {
                attribute.values = []
                known.append(attribute)
            }
            // A month without values ends the history.
            guard next >= first, attributes.contains(where: { !$0.values.isEmpty }) else { return .value(known) }
            return months(through: next, from: first, known: known)
        }
    }
}
