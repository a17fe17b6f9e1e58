#if compiler(>=6.2) && (os(macOS) || os(Linux) || os(Windows) || os(FreeBSD))

    import Pledge
    import PledgeTestSupport
    import Testing

    @Suite("waitOrExit")
    struct ScriptTests {
        @Test("waitOrExit returns the value")
        func value() {
            #expect(Promise.value(1).map { $0 + 1 }.waitOrExit() == 2)
            #expect(Guarantee.value(1).waitOrExit() == 1)
        }

        @Test("waitOrExit prints the error as one line on standard error, and exits with 1")
        func failure() async {
            let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
                ScriptTests.end(with: Fault("It failed,\nthough not for long."))
            }
            #expect(Self.lines(result) == ["It failed, though not for long."])
        }

        @Test("waitOrExit prefers the description that an error has for people, and a canceled promise is no success")
        func cancelled() async {
            let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
                ScriptTests.end(with: PromiseError.cancelled)
            }
            #expect(Self.lines(result) == [PromiseError.cancelled.localizedDescription])
        }

        @Test("A guarantee that can never have a value stops who awaits it, with a message")
        func noValue() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = await Guarantee<Int>.pending().guarantee.value
            }
            #expect("\(Self.lines(result))".contains("a guarantee that somebody waits for has no value"))
        }

        /// Not asynchronous, as a script is not.
        private static func end(with error: any Error) { Promise<Int>(error: error).map { $0 + 1 }.waitOrExit() }

        private static func lines(_ result: ExitTest.Result?) -> [String] {
            String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

#endif
