import Synchronization

/// A value that a task waits for. Any function, even one that isn't asynchronous, can deliver the value, but only once.
final class Deferred<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(UnsafeContinuation<Value, Never>)
        case full(Value)
    }

    private let state = Mutex(State.empty)

    /// The value. Only one task may wait for it.
    var value: Value {
        get async {
            await withUnsafeContinuation { continuation in
                let ready: Value? = state.withLock { state in
                    if case .full(let value) = state { return value }
                    state = .awaited(continuation)
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        }
    }

    func deliver(_ value: Value) {
        let waiting: UnsafeContinuation<Value, Never>? = state.withLock { state in
            if case .awaited(let continuation) = state { return continuation }
            state = .full(value)
            return nil
        }
        waiting?.resume(returning: value)
    }
}
