/// What a promise waits for: another promise, or several of them. A ticket identifies the handler.
enum Upstream {
    case one(PromiseStorage)
    case several(Inputs)

    func isPromise(_ promise: PromiseStorage) -> Bool {
        if case .one(let one) = self { one === promise } else { false }
    }
}

/// Several promises for which another waits.
class Inputs: LockedObject, @unchecked Sendable {
    // Unchecked: it has no state of its own.

    /// Stops waiting, and lets the promises continue.
    func release() {}

    /// Called when the promise that waits was canceled. Stops counting its handlers as dependents.
    ///
    /// - Parameter isGuarantee: Whether it goes on waiting for its value.
    /// - Returns: The promises to be canceled unless something else waits for them, the last first.
    func climb(isGuarantee: Bool) -> [PromiseStorage] { [] }

    /// Called when the cancel has reached those promises. Stops waiting for those that don't clean up.
    ///
    /// - Returns: Whether it still waits for any.
    func descend(isGuarantee: Bool) -> Bool { false }
}
