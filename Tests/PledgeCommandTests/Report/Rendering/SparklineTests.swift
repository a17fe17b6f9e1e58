import Testing

@testable import PledgeCommand

@Suite("A sparkline", .serialized)
struct SparklineTests {
    @Test(
        "spreads from the lowest value to the highest, equal ones at middle height, with circles for tags and gaps",
        arguments: [
            ([10, 11, 12, 13, 14, 15, 16, 17], .quantity, "▁▂▃▄▅▆▇█"), ([-5, 0, 5], .decimal, "▁▅█"),
            ([0, nil, 7], .quantity, "▁·█"), ([nil, nil], .quantity, "··"), ([0, 0, nil], .scale, "▄▄·"),
            ([7, 7, nil], .scale, "▄▄·"), ([-3, -3, nil], .scale, "▄▄·"), ([1, 0, nil], .boolean, "●○·"),
        ] as [([Double?], WeeklyReport.Kind, String)])
    func drawn(week: [Double?], kind: WeeklyReport.Kind, line: String) {
        #expect(sparkline(week, kind: kind) == line)
    }
}
