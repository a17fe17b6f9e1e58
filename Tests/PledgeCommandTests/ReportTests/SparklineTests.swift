import Testing

@testable import PledgeCommand

@Suite("A sparkline", .serialized)
struct SparklineTests {
    @Test("spreads from the week's lowest value to its highest")
    func scaling() {
        #expect(Sparkline([10, 11, 12, 13, 14, 15, 16, 17], kind: .quantity).text == "▁▂▃▄▅▆▇█")
        #expect(Sparkline([-5, 0, 5], kind: .decimal).text == "▁▅█")
    }

    @Test("shows a missing day as missing, and zero as a value")
    func missing() {
        #expect(Sparkline([0, nil, 7], kind: .quantity).text == "▁·█")
        #expect(Sparkline([nil, nil], kind: .quantity).text == "··")
        #expect(Sparkline([.nan, 1, .infinity], kind: .quantity).text == "·▄·")
    }

    @Test("draws days that are all equal at middle height", arguments: [0.0, 7, -3])
    func flat(value: Double) {
        #expect(Sparkline([value, value, nil], kind: .scale).text == "▄▄·")
    }

    @Test("draws tags as filled and hollow circles")
    func tags() {
        #expect(Sparkline([1, 0, nil], kind: .boolean).text == "●○·")
    }
}
