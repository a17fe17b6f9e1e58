import Dispatch

/// The word in `queue.async(.promise)`.
public enum PromiseNamespace: Sendable {
    /// Returns a promise for what the closure returns.
    case promise
}

extension DispatchQueue {
    /// Runs `body` on this queue.
    ///
    /// - Parameters:
    ///   - namespace: `.promise`.
    ///   - group: a group to join.
    ///   - qos: how urgent it is.
    ///   - flags: how it is put on the queue.
    ///   - body: what to do.
    /// - Returns: a promise for what `body` returns.
    /// - Rejects: with what `body` throws.
    /// - Cancellation: if `body` has not begun yet, it will not.
    @_disfavoredOverload public final func async<T: Sendable>(
        _ namespace: PromiseNamespace, group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [], execute body: @escaping @Sendable () throws -> T
    ) -> Promise<T> {
        let promise = Promise<T>(unsettled: ())
        async(group: group, qos: qos, flags: flags) {
            guard promise._isPending else { return }
            do {
                promise._fulfill(try body())
            } catch {
                promise._reject(error)
            }
        }
        return promise
    }

    /// Runs `body`, which cannot fail, on this queue; see the form that can.
    public final func async<T: Sendable>(
        _ namespace: PromiseNamespace, group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [], execute body: @escaping @Sendable () -> T
    ) -> Guarantee<T> {
        let promise = Promise<T>(unsettled: ())
        let guarantee = Guarantee(_unfailing: promise)
        async(group: group, qos: qos, flags: flags) { promise._fulfill(body()) }
        return guarantee
    }
}
