#if compiler(>=6.2) && (os(macOS) || os(Linux) || os(Windows) || os(FreeBSD))

    import Dispatch
    import Pledge
    import PledgeTestSupport
    import Testing

    // What can only be a programming error stops the program, with a message that explains the remedy. What may depend
    // on data (an empty race, a computed count) rejects instead: see the tests of each combinator.
    @Suite("Programming errors")
    struct MisuseTests {
        private static func waitInsideHandler() {
            let pending = Promise<Int>.pending()
            _ = try? Promise.value(1).map { _ in try pending.promise.wait() }.wait()
        }

        private static func waitInsideSync() {
            let pending = Promise<Int>.pending()
            let queue = DispatchQueue(label: "inside")
            _ = try? Promise.value(1).map { _ in try queue.sync { try pending.promise.wait() } }.wait()
        }

        private static let waitedInside =
            "Pledge: wait() was called inside a handler on the default queue, which would then never be free to "
            + "settle the promise. Return the promise from a then closure, or give the handler a queue with on:."

        @Test("wait() on the default queue for a pending promise stops the program and explains the alternatives")
        func waitOnDefaultQueue() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                MisuseTests.waitInsideHandler()
            }
            expect(result, says: Self.waitedInside)
        }

        @Test("wait() on another queue for which a handler on the default queue waits stops the program, too")
        func waitBelowDefaultQueue() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                MisuseTests.waitInsideSync()
            }
            expect(result, says: Self.waitedInside)
        }

        @Test("A guarantee whose then closure returns the guarantee itself stops the program, because it cannot reject")
        func ownGuarantee() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let itself = Recorder<Guarantee<Int>>()
                let (start, begin) = Guarantee<Int>.pending()
                itself.append(start.then { _ in itself.all[0] })
                begin(1)
                await DefaultExecutor.drain()
            }
            expect(result, says: "Pledge: a then returned the very guarantee it was making, which could never settle.")
        }

        private func expect(
            _ result: ExitTest.Result?, says sentence: String, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains(sentence), sourceLocation: sourceLocation)
        }
    }

#endif
