import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding

/// Seven days that end today, and what of a participant's data falls into them.
struct ParticipantWeek {
    static let namespaces: [DeviceDataNamespace] = [.project, .fitbit, .appleHealth, .googleFit, .garmin, .omron]

    let start: Date
    let days: [String]
    private let zone: TimeZone

    init(endingAt now: Date, in zone: TimeZone) {
        self.zone = zone
        let first = ExistDay(now, in: zone).advanced(by: -6)
        start = first.date(in: zone)
        days = (0..<7).map { first.advanced(by: $0).description }
    }

    private func day(_ date: Date) -> String { ExistDay(date, in: zone).description }

    /// A group for each source, an attribute for each type of number: the sum of a day, or the mean where the unit is
    /// that of a rate or a level.
    func groups(of points: [DeviceDataPoint]) -> [WeeklyReport.Group] {
        Dictionary(grouping: points) { ExactText($0.namespace.rawValue) }.sorted { $0.key < $1.key }.compactMap {
            source, points in
            let attributes = Dictionary(grouping: points) { ExactText($0.type) }.sorted { $0.key < $1.key }
                .compactMap { type, points in attribute(type.text, points) }
            return attributes.isEmpty ? nil : .init(name: source.text, label: source.text, attributes: attributes)
        }
    }

    private func attribute(_ type: String, _ points: [DeviceDataPoint]) -> WeeklyReport.Attribute? {
        let unit = points.lazy.compactMap(\.units).first { !$0.isEmpty }
        let isRate = unit.map { unit in
            unit.utf8.contains(UInt8(ascii: "/"))
                || ["%", "kg", "lb", "bpm", "mmHg", "degC", "degF"].contains { ExactText($0) == ExactText(unit) }
        }
        var values: [String: [Double]] = [:]
        for point in points {
            // “nan” and “inf” are numbers to Swift, and to nobody else.
            guard let date = point.observationDate ?? point.startDate, let number = Double(point.value),
                number.isFinite
            else { continue }
            values[day(date), default: []].append(number)
        }
        let week = days.map { day -> Double? in
            guard let numbers = values[day] else { return nil }
            let sum = numbers.reduce(0, +)
            guard sum.isFinite else { return nil }
            return isRate == true ? sum / Double(numbers.count) : sum
        }
        guard week.contains(where: { $0 != nil }) else { return nil }
        return WeeklyReport.Attribute(
            name: type, label: type, kind: .decimal, unit: unit, week: week, texts: nil, today: week.last ?? nil,
            average: nil)
    }

    func list(_ title: String, _ entries: [(date: Date?, text: String)]) -> WeeklyReport.List {
        WeeklyReport.List(
            title: title,
            entries: entries.map { .init(mark: $0.date.map { day($0) } ?? "any time", text: $0.text) })
    }
}
