import Foundation
import MyDataHelpsKit

/// Seven days that end today, and what of a participant's data falls into them.
struct ParticipantWeek {
    static let namespaces: [DeviceDataNamespace] = [.project, .fitbit, .appleHealth, .googleFit, .garmin, .omron]

    let start: Date
    let days: [String]
    private let zone: TimeZone

    init(endingAt now: Date, in zone: TimeZone) {
        self.zone = zone
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let today = calendar.startOfDay(for: now)
        let starts = (0..<7).compactMap { calendar.date(byAdding: .day, value: $0 - 6, to: today) }
        start = starts.first ?? today
        days = starts.map { Self.day($0, in: zone) }
    }

    private static func day(_ date: Date, in zone: TimeZone) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        func padded(_ number: Int?, _ width: Int) -> String {
            let digits = String(number ?? 0)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(parts.year, 4))-\(padded(parts.month, 2))-\(padded(parts.day, 2))"
    }

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
            values[Self.day(date, in: zone), default: []].append(number)
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
            entries: entries.map { .init(mark: $0.date.map { Self.day($0, in: zone) } ?? "any time", text: $0.text) })
    }
}
