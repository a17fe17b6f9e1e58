import Pledge
import PledgeTestSupport
import Testing

@Suite("A guarantee")
struct GuaranteeTests {
    @Test("has the value of the first call of its resolve closure, or none")
    func onlyFirst() async {
        let guarantee = Guarantee { resolve in
            resolve(1)
            resolve(2)
        }
        #expect(await guarantee.value == 1)
        await Guarantee().value
        #expect(Guarantee<Void>.value.isFulfilled)
    }

    @Test("becomes a promise through a closure that can fail")
    func becomesPromise() async throws {
        let mapped: Promise<Int> = Guarantee.value(1).map { _ in throw Fault.one }
        await #expect(throws: Fault.one) { try await mapped.value }
        let chained: Promise<Int> = Guarantee.value(1).then { Promise.value($0 + 1) }
        #expect(try await chained.value == 2)
        let done: Promise<Void> = Guarantee.value(1).done { _ in throw Fault.two }
        await #expect(throws: Fault.two) { try await done.value }
    }

    @Test("is reported once, with the place where it was created, if its resolve closure is released")
    func dropped() {
        let log = LogCapture.shared
        let line: UInt = #line
        drop(line)
        let sentence = "The guarantee made at PledgeTests/GuaranteeTests.swift:\(line) can never settle, "
        #expect(log.lines(containing: sentence) == [sentence + "because its resolve closure was released unused."])
    }

    /// Others depend on it, whose resolve closures are not released.
    private func drop(_ line: UInt) {
        let (guarantee, _) = Guarantee<Int>.pending(line: line)
        _ = guarantee.map(on: nil) { $0 + 1 }.get(on: nil) { _ in }
        _ = when(guarantees: [guarantee.map(on: nil) { $0 }])
        #expect(guarantee.isResolved)
    }
}
