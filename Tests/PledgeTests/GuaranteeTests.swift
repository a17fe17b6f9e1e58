import Pledge
import PledgeTestSupport
import Testing

@Suite("A guarantee")
struct GuaranteeTests {
    @Test("A guarantee takes the value of the first call of its resolve closure; a Guarantee<Void> needs no value")
    func onlyFirst() async {
        let guarantee = Guarantee { resolve in
            resolve(1)
            resolve(2)
        }
        #expect(await guarantee.value == 1)
        await Guarantee().value
        #expect(Guarantee<Void>.value.isFulfilled)
    }

    @Test("A guarantee whose resolve closure is released is reported once, with the place where it was created")
    func dropped() {
        let log = LogCapture.shared
        let line: UInt = #line
        drop(line)
        let sentence = "The guarantee made at PledgeTests/GuaranteeTests.swift:\(line) can never settle, "
        #expect(log.lines(containing: sentence) == [sentence + "because its resolve closure was released unused."])
    }

    #if compiler(>=6.2) && (os(macOS) || os(Linux) || os(Windows) || os(FreeBSD))
        @Test("A `then` closure that returns its own guarantee stops the program, because a guarantee cannot reject")
        func itself() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let itself = Recorder<Guarantee<Int>>()
                let (start, begin) = Guarantee<Int>.pending()
                itself.append(start.then(on: nil) { _ in itself.all[0] })
                begin(1)
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(
                text.contains(
                    "Pledge: a then closure returned the guarantee that this then made, which could never settle."))
        }
    #endif

    /// Creates a guarantee, releases its resolve closure, and adds dependents, which must not be reported.
    private func drop(_ line: UInt) {
        let (guarantee, _) = Guarantee<Int>.pending(line: line)
        _ = guarantee.map(on: nil) { $0 + 1 }.get(on: nil) { _ in }
        _ = when(guarantees: [guarantee.map(on: nil) { $0 }])
        #expect(guarantee.isResolved)
    }
}
