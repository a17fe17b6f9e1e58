import Pledge
import PledgeTestSupport
import Testing

/// An object that a caller passes in may use the same promises when it is deallocated. If Pledge released the object while
/// it holds a lock, the program would deadlock.
///
/// The random programs test this for objects that handlers and hooks capture.
@Suite("A deinit that uses promises")
struct ReentryTests {
    private let source = Source(Int.self)
    private let calls = Counter()

    /// Returns an object that uses, settles, and cancels the source when it is deallocated.
    private func token() -> AtEnd {
        AtEnd { [promise = source.promise, seal = source.seal, calls] in
            _ = promise.map { $0 }
            promise.map { $0 }.cancel()
            _ = promise.isPending
            seal.fulfill(0)
            promise.cancel()
            calls.increment()
        }
    }

    @Test(
        "The deinit of a value or an error may use promises, even if a canceled or rejected `when` releases it",
        arguments: 0..<4)
    func owner(kind: Int) async {
        let other = Source(Int.self)
        switch kind {
        case 0: Promise.value(token()).done { _ in }.cauterize()
        case 1: Promise<Int>(error: Failure(token: token())).map { $0 }.catch { _ in }
        default:
            let both = when(fulfilled: Promise.value(token()), other.promise)
            both.cauterize()
            if kind == 2 { both.cancel() } else { other.seal.reject(Fault("gathered")) }
        }
        await Wait.until { calls.value > 0 }
        await DefaultExecutor.drain()
        #expect(calls.value == 1 && source.promise.isResolved)
    }

    @Test("The deinit of what a canceled and released promise captured may use the promise's source")
    func releasedDependent() async {
        let (source, resolve) = Guarantee<Int>.pending()
        let dependent = Locked<Guarantee<Int>?>(nil)
        let token = { [calls] in
            AtEnd {
                _ = source.isPending
                calls.increment()
            }
        }
        dependent.withLock { $0 = source.map { [token = token()] in ($0, token).0 } }
        // After this cancel, the source continues even without dependents, but its handler keeps no promise alive.
        source.shared().cancel()
        dependent.withLock { $0 }?.cancel()
        Promise().pipe { _ in
            dependent.withLock { $0 = nil }
            resolve(1)
        }
        await Wait.until { calls.value > 0 }
        #expect(calls.value == 1)
    }

    private struct Failure: Error { let token: AtEnd }
}

/// An object that runs a closure when the object is deallocated.
final class AtEnd: Sendable {
    private let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    deinit { run() }
}
