import ExistKit
import Foundation
import PledgeCoding

/// Writes the data of an Exist account to its line. The data is written while it arrives.
struct ExistAccount: Sendable {
    let existAPI: ExistAPI
    let owner: @Sendable () -> Promise<User>
    let days: ExportDays
    let line: LineBuffer

    func read(_ section: ExportOptions.Section) -> Promise<Void> {
        owner().then(on: nil) { user in try read(section, of: user) }
    }

    private func read(_ section: ExportOptions.Section, of user: User) throws -> Promise<Void> {
        let last = days.last(in: user.timeZone)
        let first = days.first(before: last)
        switch section {
        case .profile:
            try line.write { $0.profile(user) }
            return Promise()
        case .attributes:
            return line.list("values") {
                months(through: last, from: first, known: [])
            }.done(on: nil) { attributes in
                try line.write { $0.objects("attributes", attributes) { $0.fields(of: $1) } }
            }
        case .averages:
            return existAPI.allPages(.averages()).done(on: nil) { decoded in
                try line.write { $0.objects("averages", decoded.value.results) { $0.fields(of: $1) } }
            }
        case .correlations:
            let query = ExistQuery<Correlation>.correlations()
            return line.list("correlations", existAPI.pages(query), by: query.identity) { $0.fields(of: $1) }
        case .insights:
            let query = ExistQuery<Insight>.insights(from: first, through: last)
            return line.list("insights", existAPI.pages(query), by: query.identity) { $0.fields(of: $1) }
        default: return Promise()
        }
    }

    /// Writes the values month by month, with the newest month first, so that only one month is in memory.
    ///
    /// - Parameter known: The attributes of later months, which have already been read.
    /// - Returns: The attributes of all months. They have no values, because those have already been written.
    private func months(through last: ExistDay, from first: ExistDay, known: [Attribute]) -> Promise<[Attribute]> {
        let wanted = min(first.distance(to: last) + 1, ExistAPI.mostDaysPerRequest)
        return existAPI.allPages(.attributesWithValues(days: wanted, through: last)).then(on: nil) {
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
            // Reads from the newest day to the oldest. Stops at the first requested day. Also stops after a month without
            // values, because older values are then unlikely.
            guard next >= first, attributes.contains(where: { !$0.values.isEmpty }) else { return .value(known) }
            return months(through: next, from: first, known: known)
        }
    }
}

// These functions write Exist's models in the form of the lines of `pledge export`. They leave out no property.

extension JSONText {
    mutating func profile(_ user: User) {
        object("profile") { json in
            json.field("username", user.username)
            json.field("first_name", user.firstName)
            json.field("last_name", user.lastName)
            json.field("avatar", user.avatar?.absoluteString)
            json.field("timezone", user.timezone)
            json.timestamp("local_time", user.localTime, offset: user.utcOffset)
            json.field("utc_offset", user.utcOffset)
            json.field("imperial_distance", user.imperialDistance)
            json.field("imperial_weight", user.imperialWeight)
            json.field("imperial_energy", user.imperialEnergy)
            json.field("imperial_liquid", user.imperialLiquid)
            json.field("imperial_temperature", user.imperialTemperature)
            json.field("trial", user.trial)
            json.field("delinquent", user.delinquent)
        }
    }

    mutating func fields(of attribute: Attribute) {
        field("template", attribute.template)
        field("name", attribute.name)
        field("label", attribute.label)
        group(attribute.group)
        if let service = attribute.serviceInfo { object("service") { $0.fields(of: service) } }
        field("active", attribute.active)
        field("priority", attribute.priority)
        field("manual", attribute.manual)
        field("value_type", attribute.valueType.rawValue)
        field("value_type_description", attribute.valueTypeDescription)
        objects("available_services", attribute.availableServices) { $0.fields(of: $1) }
    }

    private mutating func fields(of service: AttributeService) {
        field("name", service.name)
        field("label", service.label)
    }

    private mutating func group(_ group: AttributeGroup) {
        object("group") { json in
            json.field("name", group.name)
            json.field("label", group.label)
            json.field("priority", group.priority)
        }
    }

    mutating func fields(of average: Average) {
        field("attribute", average.attribute)
        field("day", average.day)
        field("overall", average.overall)
        field("monday", average.monday)
        field("tuesday", average.tuesday)
        field("wednesday", average.wednesday)
        field("thursday", average.thursday)
        field("friday", average.friday)
        field("saturday", average.saturday)
        field("sunday", average.sunday)
    }

    mutating func fields(of correlation: Correlation) {
        field("day", correlation.day)
        field("period", correlation.period)
        field("offset", correlation.offset)
        field("attribute", correlation.attribute)
        field("attribute2", correlation.attribute2)
        field("value", correlation.value)
        field("p", correlation.p)
        field("percentage", correlation.percentage)
        field("stars", correlation.stars)
        field("second_person", correlation.secondPerson)
        texts("second_person_elements", correlation.secondPersonElements)
        field("attribute_category", correlation.attributeCategory)
        field("strength_description", correlation.strengthDescription)
        field("stars_description", correlation.starsDescription)
        field("description", correlation.description)
        field("occurrence", correlation.occurrence)
        guard let rating = correlation.rating else { return }
        object("rating") { json in
            json.field("positive", rating.positive)
            json.field("rating_type", rating.ratingType)
            json.field("rating", rating.rating)
        }
    }

    mutating func fields(of insight: Insight) {
        timestamp("created", insight.created, offset: insight.createdOffset)
        field("target_day", insight.targetDay)
        object("type") { json in
            json.field("name", insight.type.name)
            json.field("period", insight.type.period)
            json.field("priority", insight.type.priority)
            guard let attribute = insight.type.attribute else { return }
            json.object("attribute") { json in
                json.field("name", attribute.name)
                json.field("label", attribute.label)
                if let group = attribute.group { json.group(group) }
                json.field("priority", attribute.priority)
                json.field("value_type", attribute.valueType?.rawValue)
                json.field("value_type_description", attribute.valueTypeDescription)
            }
        }
        field("html", insight.html)
        field("text", insight.text)
    }
}
