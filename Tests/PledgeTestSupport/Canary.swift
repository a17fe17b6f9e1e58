import Pledge

/// An object for closures to capture; a ``Cage`` tells whether it is still alive.
package final class Canary: Sendable {
    package init() {}

    /// Does nothing but mention the canary, so that a closure captures it.
    package func sing() {}
}

/// Watches objects without keeping them alive.
package final class Cage: @unchecked Sendable {
    // Unchecked: `watched` is touched only under its lock.

    private struct Watched {
        let name: String
        weak var object: AnyObject?
    }

    private let watched = Locked<[Watched]>([])

    package init() {}

    /// A canary that is watched.
    package func canary(_ name: String) -> Canary {
        watch(Canary(), name)
    }

    /// Watches `object` as well.
    @discardableResult
    package func watch<Object: AnyObject>(_ object: Object, _ name: String) -> Object {
        watched.withLock { $0.append(Watched(name: name, object: object)) }
        return object
    }

    /// The names of those still alive.
    package var survivors: [String] {
        watched.withLock { $0.filter { $0.object != nil }.map(\.name) }
    }

    /// How many are watched, dead or alive.
    package var count: Int { watched.withLock { $0.count } }
}
