/// Waits for what happens soon on a thread that cannot be joined, such as Swift's own when it releases a task.
package enum Wait {
    /// Yields to other tasks until `condition` holds, or until it clearly never will.
    package static func until(_ condition: () -> Bool) async {
        for _ in 0..<20_000 where !condition() {
            await Task.yield()
        }
    }
}
