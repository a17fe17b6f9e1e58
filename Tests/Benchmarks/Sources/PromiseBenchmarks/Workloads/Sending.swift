import Dispatch
import Pledge

/// Compares handlers on `.global()`, which on Linux returns a new object at each access, with handlers on the same
/// queue in a stored property.
enum Sending {
    private static let stored = DispatchQueue.global()

    /// Returns the time with `.global()` as a multiple of the time with the stored queue: the median of eleven pairs of
    /// runs.
    static func ratio() -> Double {
        let ratios = (0..<11).map { _ in
            let time = nanoseconds { stored }
            return nanoseconds { .global() } / time
        }
        return ratios.sorted()[5]
    }

    private static func nanoseconds(_ queue: () -> DispatchQueue) -> Double {
        let (promise, resolver) = Promise<Int>.pending()
        let handlers = (0..<40_000).map { _ in promise.done(on: queue()) { _ in } }
        let start = DispatchTime.now().uptimeNanoseconds
        resolver.fulfill(1)
        _ = try? when(fulfilled: handlers).wait()
        return Double(DispatchTime.now().uptimeNanoseconds - start)
    }
}
