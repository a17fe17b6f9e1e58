#if compiler(>=6.2) && (os(macOS) || os(Linux) || os(Windows) || os(FreeBSD))

    import Dispatch
    import Pledge
    import PledgeTestSupport
    import Testing

    // What can only be a programming error stops the program, with a message that explains the remedy. What may depend
    // on data (an empty race, a computed count) rejects instead: see the tests of each combinator.
    @Suite("Programming errors")
    struct MisuseTests {
        @Test("A guarantee whose then closure returns the guarantee itself stops the program, because it cannot reject")
        func ownGuarantee() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let itself = Recorder<Guarantee<Int>>()
                let (start, begin) = Guarantee<Int>.pending()
                itself.append(start.then { _ in itself.all[0] })
                begin(1)
                await DefaultExecutor.drain()
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(
                text.contains("Pledge: a then returned the very guarantee it was making, which could never settle."))
        }
    }

#endif
