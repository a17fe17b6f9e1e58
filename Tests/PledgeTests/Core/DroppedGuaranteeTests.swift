import Pledge
import PledgeTestSupport
import Testing

@Suite("A guarantee whose resolve closure was released")
struct DroppedGuaranteeTests {
    @Test("is reported once, however many guarantees depend on it")
    func once() {
        let log = LogCapture.shared
        let line: UInt = #line
        drop(line)
        #expect(log.lines(containing: "DroppedGuaranteeTests.swift:\(line)").count == 1)
    }

    private func drop(_ line: UInt) {
        let (guarantee, _) = Guarantee<Int>.pending(line: line)
        _ = guarantee.map(on: nil) { $0 + 1 }.get(on: nil) { _ in }
        _ = when(guarantees: [guarantee.map(on: nil) { $0 }])
    }
}
