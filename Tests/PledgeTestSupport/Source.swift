import Pledge

/// A pending promise that a test settles, which counts how often its work was canceled.
///
/// A test may release a source without settling it, because the resulting log event is captured.
package struct Source<T: Sendable>: Sendable {
    package let promise: Promise<T>
    package let seal: Resolver<T>
    private let stops = Counter()

    package init(_ type: T.Type = T.self) {
        _ = LogCapture.shared
        (promise, seal) = Promise<T>.pending()
        seal.onCancel { [stops] in stops.increment() }
    }

    /// The number of times the cancel hook ran.
    package var stopCount: Int { stops.value }
}

extension Thenable {
    /// Waits for the outcome, using only `pipe`.
    package func outcome() async -> Result<T, any Error> {
        await withCheckedContinuation { continuation in pipe { continuation.resume(returning: $0) } }
    }

    /// Waits for the error; nil if the promise is fulfilled.
    package func failure() async -> (any Error)? {
        guard case .failure(let error) = await outcome() else { return nil }
        return error
    }
}
