import Pledge

/// A pending promise in the test's hand, which counts how often its work was told to stop.
///
/// Letting one go unsettled is fine: what the log is told about that is captured.
package struct Source<T: Sendable>: Sendable {
    package let promise: Promise<T>
    package let seal: Resolver<T>
    private let stops = Counter()

    package init(_ type: T.Type = T.self) {
        _ = LogCapture.shared
        (promise, seal) = Promise<T>.pending()
        seal.onCancel { [stops] in stops.increment() }
    }

    /// How often the cancel hook ran.
    package var stopCount: Int { stops.value }
}

extension Thenable {
    /// The outcome, waited for through the one primitive and nothing else.
    package func outcome() async -> Result<T, any Error> {
        await withCheckedContinuation { continuation in
            pipe { continuation.resume(returning: $0) }
        }
    }

    /// The error waited for, or nil if there is a value instead.
    package func failure() async -> (any Error)? {
        guard case .failure(let error) = await outcome() else { return nil }
        return error
    }
}
