import ExistKit
import PledgeCoding

extension [Average] {
    /// Returns each attribute's newest average that was computed by the span's last day.
    func valid(in span: ReportSpan) -> [ExactText: Average] {
        Dictionary(
            filter { span.isOpen || $0.day <= span.last }.map { (ExactText($0.attribute), $0) },
            uniquingKeysWith: { $0.day < $1.day ? $1 : $0 })
    }
}

extension Average {
    /// The number of days that an average covers, up to the day before it is computed.
    static let daysCovered = 60

    /// Returns the Sunday on which the averages that are valid on a day were computed.
    static func dayMade(for day: ExistDay) -> ExistDay {
        let index = ExistDay.Weekday.allCases.firstIndex(of: day.weekday) ?? 0
        return day.advanced(by: -((index + 1) % 7))
    }

    /// Computes Exist's average for a day: medians of the 60 days before. Nil for text, for tags, or without values.
    init?(of attribute: ExistKit.Attribute, on day: ExistDay) {
        guard ![.string, .boolean].contains(attribute.valueType) else { return nil }
        let numbers = attribute.values.compactMap { entry -> (ExistDay.Weekday, Double)? in
            guard 1...Self.daysCovered ~= entry.day.distance(to: day), let number = entry.value?.double else {
                return nil
            }
            return (entry.day.weekday, number)
        }
        guard let overall = Self.median(numbers.map(\.1)) else { return nil }
        let weekdays = Dictionary(grouping: numbers, by: \.0).compactMapValues { Self.median($0.map(\.1)) }
        self.init(attribute: attribute.name, day: day, overall: overall, weekdays: weekdays)
    }

    private static func median(_ numbers: [Double]) -> Double? {
        let sorted = numbers.filter(\.isFinite).sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
