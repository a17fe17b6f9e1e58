import Pledge
import PledgeTestSupport
import Testing

/// What a caller passes in may use the same promises when it is deallocated. Under a lock, that would be a deadlock.
///
/// What handlers and hooks capture does so in the random programs.
@Suite("A deinit that uses promises can belong to", .timeLimit(.minutes(60)))
struct ReentryTests {
    private let source = Source(Int.self)
    private let calls = Counter()

    /// Returns an object that uses, settles, and cancels the source when it is deallocated.
    private func token() -> Token {
        Token { [promise = source.promise, seal = source.seal, calls] in
            _ = promise.map { $0 }
            promise.map { $0 }.cancel()
            _ = promise.isPending
            seal.fulfill(0)
            promise.cancel()
            calls.increment()
        }
    }

    @Test("a value")
    func value() async {
        Promise.value(token()).done { _ in }.cauterize()
        await expectCalled()
    }

    @Test("an error")
    func error() async {
        Promise<Int>(error: Failure(token: token())).map { $0 }.catch { _ in }
        await expectCalled()
    }

    @Test("what a canceled or rejected when retained", arguments: [true, false])
    func gathered(cancelled: Bool) async {
        let other = Source(Token.self)
        let both = when(fulfilled: Promise.value(token()), other.promise)
        both.cauterize()
        if cancelled { both.cancel() } else { other.seal.reject(Fault("gathered")) }
        await expectCalled()
    }

    private func expectCalled() async {
        await Wait.until { calls.value > 0 }
        await DefaultExecutor.drain()
        #expect(calls.value == 1)
        #expect(source.promise.isResolved)
    }

    private final class Token: Sendable {
        private let atEnd: @Sendable () -> Void

        init(_ atEnd: @escaping @Sendable () -> Void) {
            self.atEnd = atEnd
        }

        deinit {
            atEnd()
        }
    }

    private struct Failure: Error {
        let token: Token
    }
}
