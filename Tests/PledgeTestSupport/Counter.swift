import Pledge

/// A thread-safe counter that records its highest value.
package final class Counter: Sendable {
    private let state = Locked((value: 0, peak: 0))

    package init() {}

    package var value: Int { state.withLock { $0.value } }

    /// The highest value so far.
    package var peak: Int { state.withLock { $0.peak } }

    package func increment() { _ = next() }

    package func decrement() { state.withLock { $0.value -= 1 } }

    /// Increments the counter, and returns the new value.
    package func next() -> Int {
        state.withLock { state in
            state.value += 1
            state.peak = max(state.peak, state.value)
            return state.value
        }
    }
}
