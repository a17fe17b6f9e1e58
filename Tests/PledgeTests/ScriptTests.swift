#if compiler(>=6.2) && (os(macOS) || os(Linux) || os(Windows) || os(FreeBSD))

    import Foundation
    import PledgeTestSupport
    import Testing

    @testable import Pledge

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

        @Test("For a canceled promise, waitOrExit prints the error's localized description and exits with 1")
        func cancelled() async {
            let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
                ScriptTests.end(with: PromiseError.cancelled)
            }
            #expect(Self.lines(result) == [PromiseError.cancelled.localizedDescription])
        }

        @Test("waitOrExit exits with 1 even if nothing reads standard error any more")
        func closedError() async {
            await #expect(processExitsWith: .exitCode(1)) {
                var ends: [Int32] = [0, 0]
                pipe(&ends)
                dup2(ends[1], 2)
                ends.forEach { close($0) }
                ScriptTests.end(with: Fault.one)
            }
        }

        private struct Localized: LocalizedError { let errorDescription: String? }

        static let texts: [(error: any Error, text: String)] = [
            (NSError(domain: "Disk", code: 1, userInfo: [NSLocalizedDescriptionKey: "It is full."]), "It is full."),
            (Localized(errorDescription: "Refused."), "Refused."),
            (Localized(errorDescription: "\n"), "Localized(errorDescription: Optional(\"\\n\"))"),
            (Localized(errorDescription: nil), "Localized(errorDescription: nil)"), (Fault(""), "Fault"),
            (Fault("\u{1B}[2Ja\r\nb\t \u{9B}31mc\u{2028}d"), "[2Ja b 31mc d"),
            (Fault("a\u{202E}b\u{2066} \u{200F}c"), "a b \u{200F}c"),
        ]

        @Test(
            "The line for an error is its localized description, is never empty, and has no terminal control characters",
            arguments: texts)
        func line(error: any Error, text: String) { #expect(error.message == text) }

        @Test("Awaiting a guarantee that can never have a value stops the program with a message")
        func noValue() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = await Guarantee<Int>.pending().guarantee.value
            }
            #expect("\(Self.lines(result))".contains("a guarantee that is awaited has failed, and has no value"))
        }

        /// Calls waitOrExit in a function that isn't asynchronous, because scripts call it from synchronous code.
        private static func end(with error: any Error) { Promise<Int>(error: error).map { $0 + 1 }.waitOrExit() }

        private static func lines(_ result: ExitTest.Result?) -> [String] {
            String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

#endif
