import Testing

@testable import PledgeCommand

@Suite("A sparkline", .serialized)
struct SparklineTests {
    @Test("spreads from the week's lowest value to its highest")
    func scaling() {
        #expect(sparkline([10, 11, 12, 13, 14, 15, 16, 17], kind: .quantity) == "▁▂▃▄▅▆▇█")
        #expect(sparkline([-5, 0, 5], kind: .decimal) == "▁▅█")
    }

    @Test("shows a missing day as missing, and zero as a value")
    func missing() {
        #expect(sparkline([0, nil, 7], kind: .quantity) == "▁·█")
        #expect(sparkline([nil, nil], kind: .quantity) == "··")
    }

    @Test("draws days that are all equal at middle height", arguments: [0.0, 7, -3])
    func flat(value: Double) {
        #expect(sparkline([value, value, nil], kind: .scale) == "▄▄·")
    }

    @Test("draws tags as filled and hollow circles")
    func tags() {
        #expect(sparkline([1, 0, nil], kind: .boolean) == "●○·")
    }
}
