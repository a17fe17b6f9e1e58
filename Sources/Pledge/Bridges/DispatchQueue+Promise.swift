import Dispatch

/// The namespace of the calls written as `queue.async(.promise)`.
public enum PromiseNamespace: Sendable {
    /// The call returns a promise for the result of its closure.
    case promise
}

extension DispatchQueue {
    /// Runs a closure on this queue, as Dispatch's method does, and returns a promise for its result.
    ///
    /// - Cancellation: Prevents `body` from running if it hasn't begun yet.
    @_disfavoredOverload public final func async<T: Sendable>(
        _ namespace: PromiseNamespace, group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [], execute body: @escaping @Sendable () throws -> T
    ) -> Promise<T> {
        let promise = Promise<T>(unsettled: ())
        async(group: group, qos: qos, flags: flags) {
            guard promise.storage.isPending else { return }
            DefaultQueue.runBlock {
                do { promise.storage.fulfill(try body()) } catch { promise.storage.reject(error) }
            }
        }
        return promise
    }

    /// Runs a closure that can't fail on this queue; see the overload for closures that can.
    public final func async<T: Sendable>(
        _ namespace: PromiseNamespace, group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [], execute body: @escaping @Sendable () -> T
    ) -> Guarantee<T> {
        let promise = Promise<T>(unsettled: ())
        let guarantee = Guarantee(_unfailing: promise)
        async(group: group, qos: qos, flags: flags) { DefaultQueue.runBlock { promise.storage.fulfill(body()) } }
        return guarantee
    }
}
