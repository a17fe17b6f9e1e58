import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding

/// The days of a participant's report and as many before, and the selection of data for them.
struct ParticipantSpan {
    static let namespaces: [DeviceDataNamespace] = [.project, .fitbit, .appleHealth, .googleFit, .garmin, .omron]

    let report: ReportSpan
    let zone: TimeZone

    /// The last moment before the first day, since the service excludes both ends of a query's range.
    var start: Date { report.days[0].exclusiveStart(in: zone) }
    var startBefore: Date { report.before[0].exclusiveStart(in: zone) }
    var end: Date { report.last.advanced(by: 1).date(in: zone) }

    init(_ span: ReportSpan, in zone: TimeZone) {
        (report, self.zone) = (span, zone)
    }

    func day(_ date: Date) -> ExistDay { ExistDay(date, in: zone) }

    /// An option for a number of days that end today.
    static func days(usually usual: String) -> Option<Int> {
        Option.number("--days", "N", 1...3_660, "the number of days, including today", defaultValue: usual)
    }

    /// Returns the last moment before these days.
    static func start(ofLast days: Int, _ context: RunContext) -> Date {
        ExistDay(context.clock.now(), in: context.timeZone).advanced(by: 1 - days)
            .exclusiveStart(in: context.timeZone)
    }

    /// What a report shows of a point, of either version.
    struct Measurement {
        var source: String
        var type: String
        var value: String
        var units: String?
        var day: ExistDay?
    }

    func measurement(_ point: DeviceDataPoint) -> Measurement {
        Measurement(
            source: point.namespace.rawValue, type: point.type, value: point.value, units: point.units,
            day: (point.observationDate ?? point.startDate).map(day))
    }

    func measurement(_ point: DeviceDataPointV2) -> Measurement {
        Measurement(
            source: point.namespace.rawValue, type: point.type, value: point.value, units: point.units,
            day: point.day.flatMap { ExistDay($0) })
    }

    /// Returns a group per source, with an attribute per numeric type: a day's sum, or the mean of a rate or a level.
    func groups(of points: [Measurement]) -> [WeeklyReport.Group] {
        Dictionary(grouping: points) { ExactText($0.source) }.sorted { $0.key < $1.key }.compactMap {
            source, points in
            let attributes = Dictionary(grouping: points) { ExactText($0.type) }.sorted { $0.key < $1.key }
                .compactMap { type, points in attribute(type.text, points) }
            return attributes.isEmpty
                ? nil : .init(name: source.text, label: MyDataHelpsWords.name(source.text), attributes: attributes)
        }
    }

    private func attribute(_ type: String, _ points: [Measurement]) -> WeeklyReport.Attribute? {
        let raw = points.lazy.compactMap(\.units).first { !$0.isEmpty }
        let unit = MyDataHelpsWords.unit(raw, of: type)
        let label = MyDataHelpsWords.name(type)
        let isRate = raw?.utf8.contains(UInt8(ascii: "/")) == true
        let isAmount = !isRate && WeeklyReport.Kind.decimal.isAmount(unit: unit, label: label)
        var values: [ExistDay: [Double]] = [:]
        for point in points {
            guard let day = point.day, let number = Double(decimal: point.value) else { continue }
            values[day, default: []].append(number)
        }
        func numbers(_ days: [ExistDay]) -> [Double?] {
            days.map { day in
                guard let numbers = values[day] else { return nil }
                let sum = numbers.reduce(0, +)
                guard sum.isFinite else { return nil }
                return isAmount ? sum : sum / Double(numbers.count)
            }
        }
        let week = numbers(report.days)
        guard week.contains(where: { $0 != nil }) else { return nil }
        let words = ValueText(
            ofMeasurement: (week + numbers(report.before)).compactMap(\.self), unit: unit)
        return WeeklyReport.Attribute(
            name: type, label: label, kind: words.kind, unit: words.unit, week: week, texts: nil,
            today: week.last ?? nil, soFar: report.isOpen && isAmount,
            summary: .init(words.kind, report.isOpen ? week.dropLast() : week[...], before: numbers(report.before)))
    }
}

extension ExistDay {
    /// The last moment before a day, at MyDataHelps' resolution of milliseconds.
    func exclusiveStart(in zone: TimeZone) -> Date { date(in: zone).addingTimeInterval(-0.001) }
}
