import Pledge

/// An object that closures capture. ``LiveObjects`` reports whether the object is still alive.
package final class CapturedObject: Sendable {
    package init() {}

    /// Returns `value`. A closure that calls this method captures the object.
    package func capture<T>(_ value: T = ()) -> T { value }
}

/// A collection that tracks objects without retaining them.
package final class LiveObjects: @unchecked Sendable {
    // Unchecked: `watched` is accessed only under its lock.

    private struct Watched {
        let name: String
        weak var object: AnyObject?
    }

    private let watched = Locked<[Watched]>([])

    package init() {}

    /// Returns a new tracked object.
    package func captured(_ name: String) -> CapturedObject { watch(CapturedObject(), name) }

    /// Tracks an object.
    @discardableResult
    package func watch<Object: AnyObject>(_ object: Object, _ name: String) -> Object {
        watched.withLock { $0.append(Watched(name: name, object: object)) }
        return object
    }

    /// Tracks a promise or a guarantee.
    @discardableResult
    package func watch<Made: Thenable>(_ made: Made, _ name: String) -> Made {
        _ = watch(made._promise.storage, name)
        return made
    }

    /// The names of the objects that are still alive.
    package var survivors: [String] { watched.withLock { $0.filter { $0.object != nil }.map(\.name) } }
}
